# SPDX-License-Identifier: GPL-2.0-or-later
"""dotlockfile tries again and again to get the lock of a mailbox. The lock's owner runs a gzip
that computes."""
import os

HELD_OUT = False
NEEDS = {"dotlockfile": "liblockfile-bin", "gzip": "gzip"}


def play(s):
    for name in "inbox", "sent":
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write("From shop\n\nhello\n")

    def lock(name):
        return ["dotlockfile", "-l", "-p", "-r", "60", "-i", "1", s.path(name + ".lock")]

    def lock_pid(name):
        with open(s.path(name + ".lock"), encoding="ascii") as f:
            return int(f.read().split()[0])

    s.check("the lock can be taken", s.out([*lock("inbox"), "echo", "hello"]) == "hello" and
            not os.path.exists(s.path("inbox.lock")))
    s.start("bystander", [*lock("sent"), "sleep", "60"])
    s.wait("the other mailbox is locked", lambda: lock_pid("sent") == s.pid("bystander"))
    with open(s.path("archive"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nexec gzip -9c /dev/zero >/dev/null\n")
    os.chmod(s.path("archive"), 0o755)
    owner = s.start("owner", [*lock("inbox"), s.path("archive")])
    s.wait("the archiver has the lock", lambda: lock_pid("inbox") == owner.pid and s.child("owner", "gzip"))
    s.role("gzip", s.child("owner", "gzip"))

    s.begin()
    victim = s.start("victim", [*lock("inbox"), "echo", "delivered"])
    s.wait("dotlockfile sleeps between two tries", lambda: s.syscall("victim") in ("nanosleep", "clock_nanosleep"))
    s.during("the owner has the lock", lambda: lock_pid("inbox") == owner.pid)
    s.during("the owner's gzip computes", lambda: s.child("owner", "gzip") == s.pid("gzip") and s.uses_cpu("gzip", 0.15))
    s.during("dotlockfile sleeps between two tries", lambda: victim.poll() is None and s.output("victim") == "" and
             s.state("victim") == "S" and not s.uses_cpu("victim", 0.05, 0.2))
    s.hang(victim="victim", culprits=["gzip", "owner"], causes=["busy", "lock-holder"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("gzip"), 15)
    s.ended("victim")
    s.check("the mail is delivered", s.output("victim") == "delivered\n")
