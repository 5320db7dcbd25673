# SPDX-License-Identifier: GPL-2.0-or-later
"""useradd waits for the lock of /etc/passwd. vipw owns the lock, and waits for its editor. The editor waits for its user.
All this is about a private copy of /etc."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"vipw": "passwd", "useradd": "passwd", "ed": "ed", "unshare": "util-linux", "getent": "libc-bin"}


def play(s):
    for name in "etc", "other":
        s.out(["cp", "-a", "/etc", name])
        lock = s.path(name + "/.pwd.lock")
        if os.path.exists(lock):
            os.unlink(lock)
        for what in "passwd", "shadow", "group", "gshadow":
            if os.path.exists(s.path("%s/%s.lock" % (name, what))):
                os.unlink(s.path("%s/%s.lock" % (name, what)))
    lock = s.path("etc/.pwd.lock")

    def private(etc, *cmd):
        """Runs a command with this /etc."""
        return ["unshare", "-m", "sh", "-c", "mount --bind \"$1\" /etc; shift; exec \"$@\"", "sh", s.path(etc), *cmd]

    def users(etc):
        with open(s.path(etc + "/passwd"), encoding="utf-8") as f:
            return [line.split(":")[0] for line in f]

    s.out(private("etc", "useradd", "-M", "clerk"))
    s.check("a user can be added", "clerk" in users("etc"))
    for name, etc in ("vipw", "etc"), ("bystander", "other"):
        s.start(name, private(etc, "env", "EDITOR=ed", "VISUAL=ed", "vipw"), talk=True)
        s.wait("the editor runs", lambda name=name: [p for p in s.living() if proc(p, "comm") == "ed\n" and
                                                     s.pid(name) in parents(p)])

    s.role("editor", next(p for p in s.living() if proc(p, "comm") == "ed\n" and s.pid("vipw") in parents(p)))
    s.wait("the editor waits for its user", lambda: s.syscall("editor") == "read")
    s.check("vipw has the lock", s.locks(lock)["owners"] == [s.pid("vipw")])

    s.begin()
    victim = s.start("victim", private("etc", "useradd", "-M", "driver"))
    s.wait("the victim waits for the lock", lambda: s.locks(lock)["waiters"] == [victim.pid])
    s.during("the victim waits for the lock of vipw", lambda: s.locks(lock) ==
             {"owners": [s.pid("vipw")], "waiters": [victim.pid]} and s.syscall("victim") == "fcntl")
    s.during("the editor waits for its user", lambda: s.syscall("editor") == "read" and s.state("editor") == "S")
    s.during("vipw waits for its editor", lambda: s.state("vipw") == "S" and s.pid("vipw") in parents(s.pid("editor")))
    # The test is the user of the editor.
    s.hang(victim="victim", culprits=["editor", "test"], causes=["external", "lock-holder"], vague=["vipw"],
           wrong=["bystander"])
    yield
    s.say("vipw", "q")
    s.ended("victim")
    s.check("the user is there", "driver" in users("etc"))


def parents(pid):
    found = []
    while pid > 1:
        found.append(pid)
        pid = int(proc(pid, "stat").rpartition(")")[2].split()[1])
    return found
