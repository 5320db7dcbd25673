# SPDX-License-Identifier: GPL-2.0-or-later
"""cat reads a file of a FUSE file system in Python. Its server waits for a file lock, whose owner runs sleep."""
import os
import subprocess

from scene import Missing

HELD_OUT = True
NEEDS = {"python3": "python3", "flock": "util-linux"}

NOTES = """
import errno, fcntl, stat, sys, time
from fusepy import FUSE, FuseOSError, Operations

class Notes(Operations):
    def getattr(self, path, fh=None):
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o755, "st_nlink": 2}
        if path in ("/first", "/second"):
            return {"st_mode": stat.S_IFREG | 0o644, "st_nlink": 1, "st_size": 6}
        raise FuseOSError(errno.ENOENT)
    def read(self, path, size, offset, fh):
        with open(sys.argv[2], "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return b"hello\\n"[offset:offset + size]

FUSE(Notes(), sys.argv[1], foreground=True, nothreads=True)
"""


def play(s):
    if not os.path.exists("/usr/lib/python3/dist-packages/fusepy.py"):
        raise Missing("needs the package python3-fusepy")
    with open(s.path("notes.py"), "w", encoding="ascii") as f:
        f.write(NOTES)
    lock = {name: s.path(name + ".lock") for name in ("notes", "bystander")}
    for name in lock:
        there = s.path(name + ".mount")
        os.mkdir(there)
        s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
        s.start(name, ["/usr/bin/python3", "notes.py", there, lock[name]])
        s.wait("%s is mounted" % name, lambda there=there: os.path.ismount(there))
        s.check("a file can be read", s.out(["cat", os.path.join(there, "first")]) == "hello")
    owner = s.start("owner", ["flock", lock["notes"], "sleep", s.seconds + 4])
    s.wait("the owner has the lock", lambda: s.locks(lock["notes"])["owners"] == [owner.pid] and s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))

    s.begin()
    victim = s.start("victim", ["cat", s.path("notes.mount/second")])
    s.wait("cat waits for FUSE", lambda: "request_wait_answer" in s.wchan("victim") or s.state("victim") == "D")
    s.wait("the server waits for the lock", lambda: s.locks(lock["notes"])["waiters"] == [s.pid("notes")])
    s.during("the owner has the lock, for which the server waits",
             lambda: s.locks(lock["notes"]) == {"owners": [owner.pid], "waiters": [s.pid("notes")]})
    s.during("cat waits", lambda: victim.poll() is None and s.state("victim") in "SD" and s.output("victim") == "")
    s.during("the server sleeps", lambda: s.syscall("notes") == "flock" and s.state("notes") == "S")
    s.during("the owner's command sleeps", lambda: s.syscall("sleeper") == "clock_nanosleep")
    s.during("the other mount works", lambda: s.out(["cat", s.path("bystander.mount/second")]) == "hello")
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"], vague=["notes"],
           wrong=["bystander", "test"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.check("cat has the note", s.output("victim") == "hello\n")
