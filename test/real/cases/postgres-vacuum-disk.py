# SPDX-License-Identifier: GPL-2.0-or-later
"""A SELECT waits for the lock of a table. A nightly VACUUM FULL has this lock, and its PostgreSQL process waits in fsync for a
slow disk, on which the tablespace of the table is."""
import os
import shutil
import time

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "losetup": "mount",
         "mkfs.ext2": "e2fsprogs"}


def play(s):
    disk, _, limit = s.slow_disk(256)
    space = os.path.join(disk, "space")
    os.mkdir(space)
    base = Postgres(s, "fsync=on", "autovacuum=off")
    shutil.chown(space, Postgres.USER, Postgres.USER)
    base.query("create tablespace archive location '%s'" % space)
    base.query("create table orders (id int, text char(1000)) tablespace archive")
    base.query("insert into orders select i, 'order' from generate_series(1, 30000) i")
    base.query("delete from orders where id % 3 = 0")
    base.query("create table stock (n int)")
    base.query("checkpoint")
    s.out(["sync", "-f", disk])
    s.start("idler", base.client(), talk=True, env={**os.environ, "PGAPPNAME": "idler"})
    s.check("an idle client is there", s.ask("idler", "select count(*) from stock;") == "0")
    base.backend("idler_backend", "idler")
    limit(500 << 10)

    s.begin()
    s.start("vacuum", base.client("-c", "vacuum full orders"), env={**os.environ, "PGAPPNAME": "vacuum"})
    vacuum = base.backend("vacuum_backend", "vacuum")

    def waits_for_disk():
        """Looks at the process of the VACUUM many times. Returns whether it waited for the disk in most of these looks."""
        looks = []
        for _ in range(30):
            looks.append(s.state("vacuum_backend") == "D" and s.syscall("vacuum_backend") in ("fsync", "fdatasync"))
            time.sleep(0.01)
        return sum(looks) > 15

    s.wait("the VACUUM waits for the disk", waits_for_disk)
    victim = s.start("victim", base.client("-c", "select count(*) from orders"), env={**os.environ, "PGAPPNAME": "victim"})
    backend = base.backend("backend", "victim")
    blockers = "select pg_blocking_pids(%d)" % backend
    s.wait("the VACUUM blocks the SELECT", lambda: base.query(blockers) == "{%d}" % vacuum)
    s.during("the VACUUM blocks the SELECT", lambda: base.query(blockers) == "{%d}" % vacuum)
    s.during("the VACUUM waits for the disk", waits_for_disk)
    s.during("other tables work", lambda: s.ask("idler", "select count(*) from stock;") == "0")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.state("backend") == "S")
    s.hang(victim="victim", culprits=["vacuum_backend"], causes=["disk", "lock-holder"], vague=["vacuum"], stuck=["backend"],
           wrong=["postgres", "idler", "idler_backend", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("the SELECT has its answer", s.output("victim").strip() == "20000")
    s.ended("vacuum")
