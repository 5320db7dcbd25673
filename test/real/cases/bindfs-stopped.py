# SPDX-License-Identifier: GPL-2.0-or-later
"""cat reads a file of a FUSE file system. SIGSTOP has stopped its server, bindfs."""
import os
import signal
import subprocess

HELD_OUT = False
NEEDS = {"bindfs": "bindfs"}


def play(s):
    for name in "server", "bystander":
        source, there = s.path(name + ".source"), s.path(name + ".mount")
        os.mkdir(source)
        os.mkdir(there)
        with open(os.path.join(source, "page"), "w", encoding="utf-8") as f:
            f.write("hello\n")
        s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
        s.start(name, ["bindfs", "-f", source, there])
        s.wait("%s is mounted" % name, lambda there=there: os.path.ismount(there))

    s.begin()
    os.kill(s.pid("server"), signal.SIGSTOP)
    s.wait("bindfs stops", lambda: s.state("server") == "T")
    victim = s.start("victim", ["cat", os.path.join(s.path("server.mount"), "page")])
    s.wait("cat waits for the server", lambda: "request_wait_answer" in s.wchan("victim"))
    s.during("bindfs is stopped", lambda: s.state("server") == "T")
    s.during("cat waits for the server", lambda: victim.poll() is None and "request_wait_answer" in s.wchan("victim"))
    s.hang(victim="victim", culprits=["server", "test"], causes=["stopped"], wrong=["bystander"])
    yield
    os.kill(s.pid("server"), signal.SIGCONT)
    s.ended("victim")
    s.check("cat has the page", s.output("victim") == "hello\n")
