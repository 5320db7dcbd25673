# SPDX-License-Identifier: GPL-2.0-or-later
"""svn waits for the write lock of a repository. `svnadmin freeze` owns the lock, and waits for its own command. This command
is an svn too, and waits for the same lock."""
import os
import signal

HELD_OUT = False
NEEDS = {"svn": "subversion", "svnadmin": "subversion"}


def play(s):
    for name in "shop", "other":
        s.out(["svnadmin", "create", s.path(name)])
    lock, lock2 = (s.path(os.path.join(name, "db", "write-lock")) for name in ("shop", "other"))

    def mkdir(name, what):
        return ["svn", "mkdir", "--config-dir", s.path("config"), "-q", "-m", "new", "file://%s/%s" % (s.path(name), what)]

    s.out(mkdir("shop", "trunk"))
    s.start("decoy", ["svnadmin", "freeze", s.path("other"), "--", "sleep", "3600"])
    s.wait("the other repository is frozen", lambda: s.locks(lock2)["owners"] == [s.pid("decoy")] and
           s.child("decoy", "sleep"))
    s.role("decoy_sleep", s.child("decoy", "sleep"))

    s.begin()
    s.start("freezer", ["svnadmin", "freeze", s.path("shop"), "--", *mkdir("shop", "nightly")])
    s.wait("svnadmin has the lock", lambda: s.pid("freezer") in s.locks(lock)["owners"])
    s.wait("its command runs", lambda: s.child("freezer", "svn"))
    s.role("command", s.child("freezer", "svn"))
    s.wait("its command waits for the lock", lambda: s.locks(lock)["waiters"] == [s.pid("command")])
    victim = s.start("victim", mkdir("shop", "parcels"))
    both = sorted([victim.pid, s.pid("command")])
    s.wait("the victim waits for the lock", lambda: sorted(s.locks(lock)["waiters"]) == both)
    s.during("svnadmin has the lock, for which both wait", lambda: s.locks(lock)["owners"] == [s.pid("freezer")] and
             sorted(s.locks(lock)["waiters"]) == both)
    s.during("svnadmin waits for its command", lambda: s.syscall("freezer") == "wait4" and
             s.child("freezer") == s.pid("command"))
    s.during("both wait in flock", lambda: s.syscall("victim") == s.syscall("command") == "flock")
    s.hang(victim="victim", culprits=["freezer", "command"], causes=["circular-wait"], wrong=["decoy", "decoy_sleep", "test"])
    yield
    os.kill(s.pid("command"), signal.SIGKILL)
    s.ended("victim")
    s.check("only the victim's directory is there", "parcels/" in s.out(["svn", "ls", "file://" + s.path("shop")]))
