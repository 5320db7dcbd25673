# SPDX-License-Identifier: GPL-2.0-or-later
"""find gives names to cpio, and waits, because the pipe is full. cpio waits in a frozen file system. A backup script has
frozen it (fsfreeze), and waits for its sha256sum, which computes. Only then, it thaws the file system."""
import os
import subprocess

from scene import proc

HELD_OUT = False
NEEDS = {"find": "findutils", "cpio": "cpio", "fsfreeze": "util-linux", "sha256sum": "coreutils", "losetup": "mount",
         "mkfs.ext2": "e2fsprogs"}


def play(s):
    disk, _, _ = s.slow_disk(64)  # without a limit, it is not slow
    s.callback(subprocess.run, ["fsfreeze", "-u", disk], stderr=subprocess.DEVNULL, check=False)
    os.mkdir(s.path("papers"))
    for i in range(900):
        with open(s.path("papers/%d-%s" % (i, "paper" * 40)), "w", encoding="ascii"):
            pass
    for name, text in ("backup", "fsfreeze -f %s && echo frozen\nsha256sum /dev/zero\nfsfreeze -u %s && echo thawed\n" %
                       (disk, disk)), ("copy", "find papers | cpio -pdm --quiet \"$1\"\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["sh", "copy", os.path.join(disk, "first")])
    s.check("a copy works", len(os.listdir(os.path.join(disk, "first/papers"))) == 900)
    s.start("bystander", ["nice", "-n", "19", "sha256sum", "/dev/zero"])
    s.start("backup", ["sh", "backup"])
    s.wait("the file system is frozen", lambda: "frozen" in s.output("backup") and s.child("backup", "sha256sum"))
    s.role("snapshot", s.child("backup", "sha256sum"))

    s.begin()
    s.start("copy", ["sh", "copy", os.path.join(disk, "second")])
    s.wait("find and cpio run", lambda: s.child("copy", "find") and s.child("copy", "cpio"))
    s.role("victim", s.child("copy", "find"))
    s.role("cpio", s.child("copy", "cpio"))
    s.wait("cpio waits", lambda: s.state("cpio") == "D")
    s.wait("find waits", lambda: s.syscall("victim") == "write" and "pipe" in s.wchan("victim"))
    s.during("cpio waits for the frozen file system", lambda: s.state("cpio") == "D" and "percpu_rwsem" in s.wchan("cpio"))
    s.during("find waits for cpio", lambda: s.syscall("victim") == "write" and "pipe" in s.wchan("victim"))
    s.during("the backup waits for its sha256sum, which computes", lambda: s.child("backup") == s.pid("snapshot") and
             s.state("backup") == "S" and s.uses_cpu("snapshot", 0.1) and "thawed" not in s.output("backup"))
    s.during("other files can be written", lambda: s.out(["touch", "note"]) == "")
    s.hang(victim="victim", culprits=["snapshot", "backup"], causes=["busy", "lock-holder", "slow-peer"], vague=["cpio"],
           wrong=["bystander", "test"])
    yield
    os.kill(s.pid("snapshot"), 15)
    s.ended("copy")
    s.check("the copy is there", len(os.listdir(os.path.join(disk, "second/papers"))) == 900 and
            proc(s.pid("bystander"), "comm") == "sha256sum\n")
