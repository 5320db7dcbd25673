# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program waits in vfork for its child, whose execve reads a program of a squashfuse that SIGSTOP has stopped."""
import os
import shutil
import signal
import subprocess

HELD_OUT = True
NEEDS = {"python3": "python3", "mksquashfs": "squashfs-tools", "squashfuse": "squashfuse", "date": "coreutils"}

RUN = """
import subprocess, sys
print("ready", flush=True)
sys.stdin.readline()
print(subprocess.run([sys.argv[1], "+%%"], stdout=subprocess.PIPE, check=True).stdout.decode().strip(), flush=True)
"""


def play(s):
    with open(s.path("run.py"), "w", encoding="ascii") as f:
        f.write(RUN)
    os.mkdir(s.path("tools"))
    for name in "first", "second":
        shutil.copy("/usr/bin/date", s.path("tools/" + name))
    s.out(["mksquashfs", "tools", "image", "-noappend", "-quiet", "-no-progress"])
    for name in "tools", "bystander":
        there = s.path(name + ".mount")
        os.mkdir(there)
        s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
        s.start(name, ["squashfuse", "-f", "image", there])
        s.wait("%s is mounted" % name, lambda there=there: os.path.ismount(there))
        s.check("a program of the image runs", s.out([os.path.join(there, "first"), "+%%"]) == "%")
    victim = s.start("victim", ["/usr/bin/python3", "run.py", s.path("tools.mount/second")], talk=True)
    s.wait("the program is ready", lambda: s.output("victim") == "ready\n")

    s.begin()
    os.kill(s.pid("tools"), signal.SIGSTOP)
    s.wait("squashfuse stops", lambda: s.state("tools") == "T")
    s.say("victim", "go")
    s.wait("the child is there", lambda: s.child("victim"))
    s.role("child", s.child("victim"))
    s.wait("the child waits in execve", lambda: s.syscall("child") == "59" and s.state("child") in "SD")
    s.during("squashfuse is stopped", lambda: s.state("tools") == "T")
    s.during("the child waits in execve for FUSE",
             lambda: s.child("victim") == s.pid("child") and s.syscall("child") == "59" and s.state("child") in "SD")
    s.during("the parent waits in vfork", lambda: victim.poll() is None and s.syscall("victim") in ("56", "58") and
             s.state("victim") == "D")
    s.during("the other mount works", lambda: s.out([s.path("bystander.mount/first"), "+%%"]) == "%")
    s.hang(victim="victim", culprits=["tools", "test"], causes=["stopped"], vague=["child"], wrong=["bystander"])
    yield
    os.kill(s.pid("tools"), signal.SIGCONT)
    s.ended("victim")
    s.check("the child ran", s.output("victim") == "ready\n%\n")
