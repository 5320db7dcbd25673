# SPDX-License-Identifier: GPL-2.0-or-later
"""tar runs under fakeroot, and asks faked through a queue of System V who owns a file. SIGSTOP has stopped this faked. The
faked of another fakeroot is stopped too, but tar does not need it."""
import os
import re
import signal
import subprocess

from scene import find_program, proc

HELD_OUT = False
NEEDS = {"fakeroot-sysv": "fakeroot", "faked-sysv": "fakeroot", "tar": "tar", "ipcs": "util-linux", "ipcrm": "util-linux"}
SHELL = "echo key $FAKEROOTKEY; while read -r line; do eval \"$line\"; done"
MSGRCV = "70"


def faked():
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if proc(int(pid), "comm") == "faked-sysv\n":
                found.add(int(pid))
        except OSError:
            pass
    return found


def play(s):
    os.mkdir(s.path("dir"))
    for i in range(50):
        with open(s.path("dir/file%d" % i), "w", encoding="ascii") as f:
            f.write("parcel %d\n" % i)
    keys = {}
    for name in "shop", "decoy":
        before = faked()
        s.start(name, ["fakeroot-sysv", "--", "sh", "-c", SHELL], talk=True)
        s.wait("fakeroot is ready", lambda name=name: re.search(r"key (\d+)\n", s.output(name)))
        keys[name] = int(re.search(r"key (\d+)\n", s.output(name)).group(1))
        for what, plus in ("-Q", 0), ("-Q", 1), ("-S", 2):
            s.callback(subprocess.run, ["ipcrm", what, "0x%08x" % (keys[name] + plus)], stderr=subprocess.DEVNULL, check=False)
        new = [pid for pid in faked() - before if pid in s.living()]
        s.check("it has its faked", len(new) == 1)
        s.role(name + "_faked", new[0])
        s.say(name, "chown 7:7 dir/*; stat -c %u dir/file3")
        s.wait("faked works", lambda name=name: "\n7\n" in s.output(name))
    shell = next(p for p in s.living() if proc(p, "comm") == "sh\n" and
                 "FAKEROOTKEY=%d\0" % keys["shop"] in proc(p, "environ"))
    s.role("shell", shell)

    def unread():
        """The questions that faked has not taken out of its queue."""
        rows = s.out(["ipcs", "-q"]).splitlines()
        return next(int(row.split()[5]) for row in rows if row.startswith("0x%08x" % keys["shop"]))

    s.begin()
    for name in "shop", "decoy":
        os.kill(s.pid(name + "_faked"), signal.SIGSTOP)
        s.wait("faked stops", lambda name=name: s.state(name + "_faked") == "T")
    # With a path, the shell itself does not ask faked.
    s.say("shop", "%s -cf dir.tar dir && echo packed" % find_program("tar"))
    s.wait("tar runs", lambda: s.child("shell", "tar"))
    s.role("victim", s.child("shell", "tar"))
    s.wait("tar waits for an answer", lambda: s.syscall("victim") == MSGRCV and unread() == 1)
    s.during("faked is stopped, and has not read the question", lambda: s.state("shop_faked") == "T" and unread() == 1)
    s.during("tar waits for the answer", lambda: s.syscall("victim") == MSGRCV and s.state("victim") == "S")
    s.during("the other faked is stopped", lambda: s.state("decoy_faked") == "T")
    s.hang(victim="victim", culprits=["shop_faked", "test"], causes=["stopped"],
           wrong=["decoy_faked", "decoy", "shell", "shop"])
    yield
    os.kill(s.pid("shop_faked"), signal.SIGCONT)
    s.went_on("tar ends", lambda: "packed" in s.output("shop"))
    s.check("tar packed what faked says", "7/7" in s.out(["tar", "--numeric-owner", "-tvf", "dir.tar"]))
    os.kill(s.pid("decoy_faked"), signal.SIGCONT)
