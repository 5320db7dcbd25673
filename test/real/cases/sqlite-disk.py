# SPDX-License-Identifier: GPL-2.0-or-later
"""sqlite3 waits for the lock of a database. Another sqlite3 owns the lock, and waits in fsync for a slow disk."""
import glob
import os
import subprocess
import time

from scene import Missing

HELD_OUT = False
NEEDS = {"sqlite3": "sqlite3", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
LIMIT = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"  # of the root group, for one device


def slow_disk(s):
    """A file system on a loop device. Returns its directory, and a function that limits the bytes written a second."""
    if not os.path.exists(LIMIT):
        raise Missing("no limits of block I/O by control groups of version 1")
    image, disk = s.path("image"), s.path("disk")
    with open(image, "wb") as f:
        f.truncate(64 << 20)
    s.out(["mkfs.ext2", "-q", "-F", image])
    loop = s.out(["losetup", "-f", "--show", image])
    s.callback(s.out, ["losetup", "-d", loop])
    os.mkdir(disk)
    s.out(["mount", loop, disk])

    def leave():
        for _ in range(100):  # after SIGKILL, a program may still write for a moment
            if subprocess.run(["umount", disk], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return
            time.sleep(0.1)
        s.out(["umount", "-l", disk])

    s.callback(leave)
    with open("/sys/block/%s/dev" % os.path.basename(loop), encoding="ascii") as f:
        device = f.read().strip()

    def limit(bps):
        with open(LIMIT, "w", encoding="ascii") as f:
            f.write("%s %d" % (device, bps))

    s.callback(limit, 0)
    return disk, limit


def play(s):
    disk, limit = slow_disk(s)
    base = os.path.join(disk, "stock.db")
    s.out(["sqlite3", base, "create table stock (id int, photo blob); insert into stock values (1, zeroblob(100));"])
    s.start("bystander", ["sqlite3", base], talk=True)
    s.say("bystander", "select 'rows', count(*) from stock;")
    s.wait("the bystander has read", lambda: "rows|1" in s.output("bystander"))
    s.out(["sync", "-f", base])
    limit(200 << 10)

    s.begin()
    writer = s.start("writer", ["sqlite3", base, "insert into stock values (2, randomblob(4000000));"])
    s.wait("the writer syncs",
           lambda: s.syscall("writer") in ("fsync", "fdatasync") and s.locks(base)["owners"] == [writer.pid])
    victim = s.start("victim", ["sqlite3", "-cmd", ".timeout 60000", base, "update stock set id = 3 where id = 1;"])
    s.wait("the victim has opened the database",
           lambda: base in [os.readlink(f) for f in glob.glob("/proc/%d/fd/*" % victim.pid)])
    s.during("the writer owns the lock", lambda: writer.pid in s.locks(base)["owners"])
    s.during("the writer waits for the disk",
             lambda: s.syscall("writer") in ("fsync", "fdatasync") and s.state("writer") == "D")
    s.during("the victim sleeps between two tries", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["writer"], causes=["disk"], wrong=["bystander"])
    yield
    limit(0)
    s.ended("writer")
    s.ended("victim")
    s.check("both changes are there", s.out(["sqlite3", base, "select id from stock order by id"]).split() == ["2", "3"])
