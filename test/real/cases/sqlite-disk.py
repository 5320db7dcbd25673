# SPDX-License-Identifier: GPL-2.0-or-later
"""sqlite3 waits for the lock of a database. Another sqlite3 owns the lock, and waits in fsync for a slow disk."""
import glob
import os

HELD_OUT = False
NEEDS = {"sqlite3": "sqlite3", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}


def play(s):
    disk, _, limit = s.slow_disk(64)
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
