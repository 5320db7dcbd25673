# SPDX-License-Identifier: GPL-2.0-or-later
"""ls waits for the kernel's lock of a directory. cp owns the lock: it makes a directory in there, and waits for the FUSE server
of the file system, gocryptfs. For the new directory, gocryptfs writes a file to a slow disk (mounted with sync), and waits for
this disk."""
import os
import subprocess

from scene import proc

HELD_OUT = False
NEEDS = {"gocryptfs": "gocryptfs", "cp": "coreutils", "ls": "coreutils", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}


def play(s):
    disk, _, limit = s.slow_disk(16, "write", "-o", "sync")
    os.mkdir(s.path("album"))
    with open(s.path("password"), "w", encoding="ascii") as f:
        f.write("parcel\n")
    for name, source in ("gocryptfs", os.path.join(disk, "photos")), ("bystander", s.path("letters.source")):
        there = s.path({"gocryptfs": "photos", "bystander": "letters"}[name])
        os.mkdir(source)
        os.mkdir(there)
        s.out(["gocryptfs", "-init", "-q", "-scryptn", "10", "-passfile", s.path("password"), source])
        s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
        s.start(name, ["gocryptfs", "-fg", "-q", "-passfile", s.path("password"), source, there])
        s.wait("%s is mounted" % name, lambda there=there: os.path.ismount(there), 20)
    photos = s.path("photos")
    s.out(["cp", "-r", s.path("album"), os.path.join(photos, "first")])
    s.check("ls shows the first album", s.out(["ls", photos]) == "first")
    s.out(["sync", "-f", disk])
    limit(150)

    owner = s.start("owner", ["cp", "-r", s.path("album"), os.path.join(photos, "second")])

    def writers():
        """The threads of gocryptfs that wait for the disk in a write."""
        return [t for t in s.threads("gocryptfs") if proc(s.pid("gocryptfs"), "syscall", t).split()[0] in ("1", "18", "74") and
                proc(s.pid("gocryptfs"), "stat", t).rpartition(")")[2].split()[0] == "D"]

    s.wait("cp waits for gocryptfs, and gocryptfs for the disk", lambda: "request_wait_answer" in s.wchan("owner") and
           len(writers()) == 1, 20)
    s.begin()
    s.role("writer", s.pid("gocryptfs"), writers()[0])
    victim = s.start("victim", ["ls", photos])

    def locked_out():
        """ls waits in getdents64, and not for an answer of gocryptfs."""
        return s.syscall("victim") == "217" and s.state("victim") == "D" and \
            ("iterate_dir" in s.wchan("victim") or "rwsem" in s.wchan("victim"))

    s.wait("ls waits for the lock", locked_out)
    s.during("ls waits for the lock of the directory", lambda: victim.poll() is None and locked_out())
    s.during("cp waits for gocryptfs in mkdir", lambda: owner.poll() is None and s.syscall("owner") in ("83", "258") and
             "request_wait_answer" in s.wchan("owner"))
    s.during("a thread of gocryptfs waits for the disk in a write", lambda: writers() == [s.roles["writer"][1]])
    s.during("gocryptfs answers other questions", lambda: s.out(["stat", "-c", "%F", photos], timeout=5) == "directory")
    s.during("another file system works", lambda: s.out(["ls", s.path("letters")], timeout=5) == "")
    s.hang(victim="victim", culprits=["writer"], causes=["disk"], vague=["owner", "gocryptfs"], wrong=["bystander", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("ls shows both albums", s.output("victim").split() == ["first", "second"])
    s.ended("owner")
