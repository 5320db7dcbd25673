# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE waits for the lock of a row. A client that is idle in its transaction owns the lock."""
import os

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client"}


def play(s):
    base = Postgres(s)
    base.query("create table stock (id int primary key, n int)")
    base.query("insert into stock select i, 10 from generate_series(1, 100) i")
    for name, row in ("bystander", 9), ("idler", 5):
        s.start(name, base.client(), talk=True, env={**os.environ, "PGAPPNAME": name})
        s.say(name, "begin; update stock set n = n - 1 where id = %d; select 'updated';" % row)
        base.backend(name + "_backend", name)
        s.wait("%s has its row" % name, lambda name=name: "updated" in s.output(name))

    s.begin()
    victim = s.start("victim", base.client("-c", "update stock set n = n - 2 where id = 5"),
                     env={**os.environ, "PGAPPNAME": "victim"})
    backend = base.backend("backend", "victim")
    blockers = "select pg_blocking_pids(%d)" % backend
    s.wait("the lock blocks the UPDATE", lambda: base.query(blockers) == "{%d}" % s.pid("idler_backend"))
    s.during("the idle client's backend blocks the UPDATE",
             lambda: base.query(blockers) == "{%d}" % s.pid("idler_backend"))
    s.during("the idle client is idle in its transaction", lambda: base.query(
        "select state from pg_stat_activity where pid = %d" % s.pid("idler_backend")) == "idle in transaction")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.state("backend") == "S")
    s.hang(victim="victim", culprits=["idler_backend", "idler", "test"],
           causes=["lock-holder", "external", "slow-peer", "timer", "missing-wakeup"],
           stuck=["backend"], wrong=["bystander", "bystander_backend", "postgres"])
    yield
    s.say("idler", "commit;")
    s.ended("victim")
    s.check("both updates are there", base.query("select n from stock where id = 5") == "7")
