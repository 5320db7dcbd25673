# SPDX-License-Identifier: GPL-2.0-or-later
"""A TRUNCATE waits for the lock of a table. A Python batch owns the lock in its open transaction. The control group
of the batch is frozen, as a paused container is."""
import contextlib
import importlib.util
import os

from lib import cgroup2, in_cgroup
from scene import Missing, Postgres, proc

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "python3": "python3"}
BATCH = """
import os, sys, time
import psycopg2
db = psycopg2.connect(host=sys.argv[1], user="postgres", dbname="postgres", application_name=sys.argv[2])
row = db.cursor()
done = 0
while not os.path.exists("enough"):
    row.execute("update " + sys.argv[2] + " set n = n + 1 where id = %s", (done % 100,))
    done += 1
    print(done, flush=True)
    time.sleep(0.02)
db.commit()
"""


def play(s):
    if not importlib.util.find_spec("psycopg2"):
        raise Missing("no psycopg2 here (package python3-psycopg2)")
    group = os.path.join(cgroup2() or "/", "ctrace-test-paused-batch")
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no control group of version 2 can be made here: %s" % e) from None
    s.callback(os.rmdir, group)

    def freeze(on):
        with open(os.path.join(group, "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write(str(int(on)))

    def frozen():
        with open(os.path.join(group, "cgroup.events"), encoding="ascii") as f:
            return "frozen 1" in f.read()

    def thaw():
        with contextlib.suppress(OSError):
            freeze(False)

    base = Postgres(s)
    with open(s.path("batch.py"), "w", encoding="ascii") as f:
        f.write(BATCH)
    for name in "stock", "parcels":
        base.query("create table %s (id int primary key, n int)" % name)
        base.query("insert into %s select i, 0 from generate_series(0, 99) i" % name)
    for name, table in ("batch", "stock"), ("bystander", "parcels"):
        cmd = ["/usr/bin/python3", s.path("batch.py"), base.where, table]
        s.start(name, in_cgroup(group, cmd) if name == "batch" else cmd)
        base.backend(name + "_backend", table)
        s.wait("%s works" % name, lambda name=name: s.output(name).count("\n") > 10)

    s.begin()
    freeze(True)
    s.wait("the group is frozen", frozen)
    try:
        victim = s.start("victim", base.client("-c", "truncate stock"), env={**os.environ, "PGAPPNAME": "victim"})
        backend = base.backend("backend", "victim")
        blockers = "select pg_blocking_pids(%d)" % backend
        s.wait("the batch blocks the TRUNCATE", lambda: base.query(blockers) == "{%d}" % s.pid("batch_backend"))
        s.during("the batch blocks the TRUNCATE", lambda: base.query(blockers) == "{%d}" % s.pid("batch_backend"))
        s.during("the batch is in the group, and the group is frozen",
                 lambda: frozen() and "/ctrace-test-paused-batch\n" in proc(s.pid("batch"), "cgroup"))
        done = s.output("batch").count("\n")
        s.during("the batch does nothing", lambda: s.output("batch").count("\n") == done)
        s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" == s.state("backend"))
        seen = [0]

        def other_works():
            before, seen[0] = seen[0], s.output("bystander").count("\n")
            return seen[0] > before

        s.during("the other batch works", other_works)
        s.hang(victim="victim", culprits=["batch", "test"], causes=["stopped"], vague=["batch_backend"],
               stuck=["backend"], wrong=["bystander", "bystander_backend", "postgres"])
        yield
    finally:
        with open(s.path("enough"), "w", encoding="ascii"):
            pass
        thaw()
    s.ended("victim")
    s.ended("batch")
    s.check("the table is empty", base.query("select count(*) from stock") == "0")
