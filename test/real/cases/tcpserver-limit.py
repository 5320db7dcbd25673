# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for tcpserver, which serves one client at a time. For an earlier client, a factor(1) computes."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"tcpserver": "ucspi-tcp", "curl": "curl", "factor": "coreutils"}
# Two primes with 30 digits: factor needs hours.
NUMBER = str((10 ** 29 + 319) * (10 ** 29 + 457))


def play(s):
    with open(s.path("serve"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nIFS= read -r n\nexec factor \"${n%?}\"\n")  # the line ends with a CR
    os.chmod(s.path("serve"), 0o755)
    ports = {name: s.port() for name in ("server", "bystander")}
    for name, port in ports.items():
        s.start(name, ["tcpserver", "-v", "-H", "-R", "-l", "0", "-c", "1", "127.0.0.1", port, s.path("serve")])
        s.wait("%s listens" % name, lambda name=name: "status: 0/1" in s.output(name))

    def ask(name, number):
        return ["curl", "-s", "gopher://127.0.0.1:%s/1%s" % (ports[name], number)]

    s.check("the server answers", s.out(ask("server", "6")) == "6: 2 3")
    s.wait("no client is left", lambda: s.output("server").rstrip().endswith("status: 0/1"))
    s.start("first", ask("server", NUMBER))
    s.wait("factor runs for the first client", lambda: s.child("server", "factor"))
    s.role("factor", s.child("server", "factor"))

    s.begin()
    victim = s.start("victim", ask("server", "15"))

    def not_accepted():
        """The listening socket has one connection that nobody has accepted."""
        return s.out(["ss", "-tlnH", "sport = :" + ports["server"]]).split()[1] == "1"

    def last_status():
        return [line for line in s.output("server").splitlines() if "status:" in line][-1]

    s.wait("the victim's connection waits", not_accepted)
    s.wait("the victim waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("tcpserver has not accepted the connection", not_accepted)
    s.during("tcpserver waits for its child", lambda: "status: 1/1" in last_status() and
             s.state("server") == "S" and not s.uses_cpu("server", 0.02, 0.2))
    s.during("factor computes", lambda: s.child("server") == s.pid("factor") and
             proc(s.pid("factor"), "comm") == "factor\n" and s.uses_cpu("factor", 0.1))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the other tcpserver answers", lambda: s.out(ask("bystander", "21")) == "21: 3 7")
    s.hang(victim="victim", culprits=["factor"], causes=["busy", "queueing"], vague=["server"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("factor"), signal.SIGTERM)
    s.ended("victim")
    s.check("the victim has its answer", s.output("victim").strip() == "15: 3 5")
