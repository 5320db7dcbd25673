# SPDX-License-Identifier: GPL-2.0-or-later
"""check_nrpe waits for the monitoring daemon nrpe, nrpe for its plugin, and the plugin for df. df asks for the size of a FUSE
file system, whose server, archivemount, is stopped by SIGSTOP."""
import os
import signal
import subprocess

from scene import proc

HELD_OUT = False
NEEDS = {"nrpe": "nagios-nrpe-server", "/usr/lib/nagios/plugins/check_nrpe": "nagios-nrpe-plugin",
         "archivemount": "archivemount", "df": "coreutils", "tar": "tar"}
CONFIG = """pid_file=%(where)s/pid
server_port=%(port)s
server_address=127.0.0.1
nrpe_user=nagios
nrpe_group=nagios
allowed_hosts=127.0.0.1
command_timeout=60
command[vault]=%(where)s/plugin vault
command[other]=%(where)s/plugin other
"""
PLUGIN = """#!/bin/sh
cd %s
LANG=C
free=$(df -P $1 | tail -n 1)
echo "OK $free"
"""


def play(s):
    words = {"port": s.port(), "where": s.where}
    for name, text in ("nrpe.cfg", CONFIG % words), ("plugin", PLUGIN % s.where), ("paper", "parcel\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("plugin"), 0o755)
    for name in "vault", "other":
        s.out(["tar", "-cf", name + ".tar", "paper"])
        os.mkdir(s.path(name))
        s.callback(subprocess.run, ["umount", "-l", s.path(name)], stderr=subprocess.DEVNULL, check=False)
        s.start(name, ["archivemount", "-f", "-o", "allow_other", name + ".tar", s.path(name)])
        s.wait("%s is mounted" % name, lambda name=name: os.path.ismount(s.path(name)))
    s.start("nrpe", ["nrpe", "-c", s.path("nrpe.cfg"), "-f", "-n"])
    s.wait("nrpe listens", lambda: s.connects(words["port"]))

    def check(command):
        return ["/usr/lib/nagios/plugins/check_nrpe", "-H", "127.0.0.1", "-p", words["port"], "-n", "-t", "60", "-c", command]

    for name in "vault", "other":
        s.check("the check works", s.path(name) in s.out(check(name)))

    s.begin()
    os.kill(s.pid("vault"), signal.SIGSTOP)
    s.wait("archivemount stops", lambda: s.state("vault") == "T")
    victim = s.start("victim", check("vault"))

    def dfs():
        return [p for p in s.living() if proc(p, "comm") == "df\n"]

    s.wait("df runs", dfs)
    s.role("df", dfs()[0])
    # The processes between nrpe and df. nrpe has given its child away: its parent is not nrpe.
    between = [p for p in s.living() if p != s.pid("nrpe") and ") Z " not in proc(p, "stat") and
               proc(p, "comm") in ("nrpe\n", "plugin\n", "sh\n")]
    for i, pid in enumerate(between):
        s.role("between%d" % i, pid)
    s.check("df has a plugin, and the plugin a nrpe", len(between) >= 2)
    s.wait("df waits for the file system", lambda: s.wchan("df") == "request_wait_answer")
    s.during("df waits for the file system", lambda: dfs() == [s.pid("df")] and s.wchan("df") == "request_wait_answer")
    s.during("archivemount is stopped", lambda: s.state("vault") == "T")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the other check works", lambda: s.path("other") in s.out(check("other"), timeout=5))
    s.hang(victim="victim", culprits=["vault", "test"], causes=["stopped"],
           vague=["nrpe", "df", *("between%d" % i for i in range(len(between)))], wrong=["other"])
    yield
    os.kill(s.pid("vault"), signal.SIGCONT)
    s.ended("victim")
    s.check("the check is done", s.output("victim").startswith("OK "))
