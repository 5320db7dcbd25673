# SPDX-License-Identifier: GPL-2.0-or-later
"""A cleaner wants to lock a runtime, to remove it. A sandbox of bwrap has the lock (--lock-file) as long as its program
runs: bc, which computes."""
import os

from scene import children, descendants, proc

HELD_OUT = True
NEEDS = {"bwrap": "bubblewrap", "bc": "bc", "python3": "python3"}
CLEAN = """
import fcntl, os, sys
f = open(sys.argv[1], "r+")
fcntl.lockf(f, fcntl.LOCK_EX)
os.rename(sys.argv[2], sys.argv[2] + ".old")
print("removed", flush=True)
"""
SUM = """
scale = 40
s = 0
for (i = 1; i < 100000000; i++) s += 1 / (i * i)
s
"""


def play(s):
    runtimes = {}
    for name in "old", "new":
        runtimes[name] = s.path(name)
        os.mkdir(runtimes[name])
        with open(s.path(name + "/.ref"), "w", encoding="ascii"):
            pass
    with open(s.path("clean.py"), "w", encoding="ascii") as f:
        f.write(CLEAN)
    with open(s.path("sum.bc"), "w", encoding="ascii") as f:
        f.write(SUM)

    def sandbox(runtime, *cmd):
        return ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--lock-file",
                s.path(runtime + "/.ref"), "--", *cmd]

    s.start("busy", sandbox("old", "bc", "-q", s.path("sum.bc")))
    s.start("idle", sandbox("new", "cat"), talk=True, stop=9)

    def program(role, comm):
        return next((p for p in descendants(s.pid(role)) if proc(p, "comm").strip() == comm), None)

    s.wait("bc runs", lambda: program("busy", "bc"))
    s.wait("cat runs", lambda: program("idle", "cat"))
    s.role("bc", program("busy", "bc"))
    s.role("cat", program("idle", "cat"))
    s.wait("bc computes", lambda: s.uses_cpu("bc", 0.1, 0.8))
    s.wait("a process of bwrap has the lock", lambda: len(s.locks(s.path("old/.ref"))["owners"]) == 1)
    s.role("init", s.locks(s.path("old/.ref"))["owners"][0])
    s.check("the owner is bwrap's first process in the sandbox", s.pid("init") == s.child("busy") and
            children(s.pid("init")) == [s.pid("bc")])

    s.begin()
    victim = s.start("victim", ["python3", "clean.py", s.path("old/.ref"), s.path("old")])
    s.wait("the victim waits for the lock", lambda: s.locks(s.path("old/.ref"))["waiters"] == [victim.pid])
    s.during("the victim waits for the lock of the sandbox", lambda: s.locks(s.path("old/.ref")) == {
        "owners": [s.pid("init")], "waiters": [victim.pid]} and s.syscall("victim") == "fcntl")
    s.during("the first process in the sandbox waits for bc", lambda: s.state("init") == "S" and
             s.syscall("init") in ("wait4", "waitid") and children(s.pid("init")) == [s.pid("bc")])
    s.during("bc computes", lambda: s.uses_cpu("bc", 0.1, 0.8))
    s.during("the other sandbox waits for its user", lambda: s.state("cat") == "S" and s.syscall("cat") == "read")
    s.hang(victim="victim", culprits=["bc"], causes=["busy"], vague=["init", "busy"], wrong=["idle", "cat"])
    yield
    os.kill(s.pid("bc"), 15)
    s.ended("victim")
    s.check("the runtime is gone", s.output("victim") == "removed\n" and os.path.isdir(s.path("old.old")))
