# SPDX-License-Identifier: GPL-2.0-or-later
"""snmpget waits for snmpd, snmpd for a script, the script for upsc, and upsc for upsd, which SIGSTOP has stopped. The time
limit of upsc (5 s) ends the wait. A second snmpd with a second upsd works."""
import os
import signal

from scene import children, descendants, proc

HELD_OUT = False
NEEDS = {"snmpd": "snmpd", "snmpget": "snmp", "/lib/nut/upsd": "nut-server", "upsc": "nut-client", "ss": "iproute2"}
SECONDS = 3  # less than the time limit of upsc
OID = ".1.3.6.1.4.1.8072.9999.7"
SCRIPT = """#!/bin/sh
status=$(upsc -l 127.0.0.1:%s 2>&1 | tail -n 1)
printf '%%s\\nstring\\n%%s\\n' "$2" "$status"
"""


def play(s):
    ports = {name: s.port() for name in ("ups", "other_ups")}
    env = {**os.environ, "NUT_QUIET_INIT_SSL": "true", "SNMP_PERSISTENT_DIR": s.where}
    snmp = {}
    for name, port in ports.items():
        conf = s.path(name + ".dir")
        os.mkdir(conf)
        for file, text in ("upsd.conf", "LISTEN 127.0.0.1 %s\nSTATEPATH %s\n" % (port, conf)), ("upsd.users", ""), \
                ("ups.conf", "[rack]\ndriver = dummy-ups\nport = rack.dev\n"), ("script", SCRIPT % port), \
                ("snmpd.conf", "rocommunity shop 127.0.0.1\npass %s /bin/sh %s/script\n" % (OID, conf)):
            with open(os.path.join(conf, file), "w", encoding="ascii") as f:
                f.write(text)
        os.chmod(conf, 0o700)
        s.start(name, ["/lib/nut/upsd", "-F", "-u", "root"], env={**env, "NUT_CONFPATH": conf, "NUT_STATEPATH": conf,
                                                         "NUT_ALTPIDPATH": conf})
        s.wait("upsd listens", lambda port=port: s.connects(port))
        snmp[name] = s.port()
        s.start("snmpd_" + name, ["snmpd", "-f", "-Lo", "-C", "-c", conf + "/snmpd.conf", "-I", "-smux", "-p",
                                  conf + "/snmpd.pid", "udp:127.0.0.1:" + snmp[name]], env=env)

    asked = [0]

    def get(name, seconds):
        """snmpd keeps an answer for 30 s, so each question is a new one."""
        asked[0] += 1
        return ["snmpget", "-v2c", "-c", "shop", "-Oqv", "-r", "0", "-t", str(seconds),
                "127.0.0.1:" + snmp[name], "%s.%d" % (OID, asked[0])]

    for name in ports:
        s.wait("snmpd answers", lambda name=name: "rack" in s.out(["sh", "-c", '"$@" || :', "sh", *get(name, 3)]), 20)
    s.wait("no script runs", lambda: not any(children(s.pid("snmpd_" + name)) for name in ports))

    def upsc():
        return [p for p in descendants(s.pid("snmpd_ups")) if proc(p, "comm") == "upsc\n"][0]

    def unread():
        return sum(int(line.split()[0]) for line in
                   s.out(["ss", "-tnH", "state", "established", "sport = :" + ports["ups"]]).splitlines())

    s.begin()
    s.processes["ups"][0].send_signal(signal.SIGSTOP)
    s.wait("upsd stops", lambda: s.state("ups") == "T")
    victim = s.start("victim", get("ups", 60))
    s.wait("upsc asks", lambda: upsc() and unread() > 0)
    s.role("upsc", upsc())
    s.during("upsd is stopped, and has not read its question", lambda: s.state("ups") == "T" and unread() > 0)
    s.during("upsc waits", lambda: upsc() == s.pid("upsc") and s.state("upsc") == "S")
    s.during("snmpd waits for its script", lambda: s.state("snmpd_ups") == "S" and
             s.pid("upsc") in descendants(s.pid("snmpd_ups")))
    s.during("snmpget waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the other snmpd answers", lambda: "rack" in s.out(get("other_ups", 5)))
    s.hang(victim="victim", culprits=["ups", "test"], causes=["stopped"], vague=["snmpd_ups", "upsc"],
           wrong=["other_ups", "snmpd_other_ups"])
    yield
    s.ended("victim")
    s.check("upsc has given up", "Server disconnected" in s.output("victim") and s.state("ups") == "T")
    s.processes["ups"][0].send_signal(signal.SIGCONT)
    s.wait("snmpd answers again", lambda: "rack" in s.out(["sh", "-c", '"$@" || :', "sh", *get("ups", 3)]))
