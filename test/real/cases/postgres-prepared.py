# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE waits for the lock of a row. The owner is a prepared transaction, whose client has left: no task has the lock."""
import os

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client"}


def play(s):
    base = Postgres(s, "max_prepared_transactions=4")
    base.query("create table stock (name text primary key, n int)")
    base.query("insert into stock values ('bolt', 17), ('nut', 4)")
    s.start("monitor", base.client(), talk=True)
    s.start("bystander", base.client(), talk=True)
    s.role("bystander_backend", int(s.ask("bystander", "select pg_backend_pid();")))
    s.check("the bystander has changed its row",
            s.ask("bystander", "begin; update stock set n = 5 where name = 'nut' returning n;") == "5")
    s.start("manager", base.client(), talk=True)
    s.role("manager_backend", int(s.ask("manager", "select pg_backend_pid();")))
    s.check("the manager has changed the row",
            s.ask("manager", "begin; update stock set n = 16 where name = 'bolt' returning n;") == "16")
    s.say("manager", "prepare transaction 'order-1';")
    s.wait("the transaction is prepared", lambda: base.query("select gid from pg_prepared_xacts") == "order-1")
    s.say("manager", "\\q")
    s.wait("the manager ends", lambda: s.processes["manager"][0].poll() is not None)
    del s.roles["manager"], s.roles["manager_backend"]

    def blockers():
        return s.ask("monitor", "select pg_blocking_pids(%d);" % s.pid("backend"))

    s.begin()
    victim = s.start("victim", base.client("-c", "update stock set n = n - 2 where name = 'bolt' returning n"),
                     env={**os.environ, "PGAPPNAME": "victim"})
    asked = "select coalesce(max(pid), 0) from pg_stat_activity where application_name = 'victim';"
    s.wait("the victim is connected", lambda: int(s.ask("monitor", asked)))
    s.role("backend", int(s.ask("monitor", asked)))
    # PostgreSQL shows a prepared transaction as the pid 0.
    s.wait("a prepared transaction blocks the victim", lambda: blockers() == "{0}")
    s.during("a prepared transaction blocks the victim, and no session", lambda: blockers() == "{0}")
    s.during("the transaction is prepared", lambda: s.ask("monitor", "select gid from pg_prepared_xacts;") == "order-1")
    s.during("the bystander is idle in its transaction", lambda: s.ask(
        "monitor", "select state from pg_stat_activity where pid = %d;" % s.pid("bystander_backend")) == "idle in transaction")
    s.during("the victim and its backend wait", lambda: victim.poll() is None and
             s.state("victim") == s.state("backend") == "S")
    s.hang(victim="victim", culprits=["backend"], causes=["lock-holder", "missing-wakeup"],
           wrong=["bystander", "bystander_backend", "monitor", "postgres", "test"])
    yield
    base.query("commit prepared 'order-1'")
    s.ended("victim")
    s.check("the victim changed the row", s.output("victim").strip() == "14")
