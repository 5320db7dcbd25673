# SPDX-License-Identifier: GPL-2.0-or-later
"""A session has changed a row, and waits for its own dblink. The other end of the dblink waits for the same row."""
import os

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client"}
CHANGE = "update stock set n = n - 1 where id = 5"


def play(s):
    base = Postgres(s)
    for sql in ("create extension dblink", "create table stock (id int primary key, n int)",
                "insert into stock values (4, 10), (5, 10)"):
        base.query(sql)
    for name in "monitor", "bystander":
        s.start(name, base.client(), talk=True)
        s.role(name + "_backend", int(s.ask(name, "select pg_backend_pid();")))
    s.ask("bystander", "begin; update stock set n = 11 where id = 4 returning n;")
    link = "host=%s user=postgres dbname=postgres application_name=link" % base.where

    s.begin()
    # The last argument, false: dblink_exec() does not fail after an error of the other end.
    far_change = "select dblink_exec('%s', '%s', false)" % (link, CHANGE)
    victim = s.start("victim", base.client("-c", "begin", "-c", CHANGE, "-c", far_change, "-c", "commit"),
                     env={**os.environ, "PGAPPNAME": "victim"})

    def backend(name):
        return int(s.ask("monitor", "select coalesce(max(pid), 0) from pg_stat_activity where application_name = '%s';" % name))

    s.wait("the link is there", lambda: backend("link"))
    s.role("near", backend("victim"))
    s.role("far", backend("link"))

    def blockers(role):
        return s.ask("monitor", "select pg_blocking_pids(%d);" % s.pid(role))

    s.wait("the far end waits for the row", lambda: blockers("far") == "{%d}" % s.pid("near"))
    s.during("the far end waits for the transaction of the near end", lambda: blockers("far") == "{%d}" % s.pid("near"))
    s.during("no lock blocks the near end, but it waits for the link", lambda: blockers("near") == "{}" and s.ask(
        "monitor", "select state, wait_event_type, query like 'select dblink_exec%%' from pg_stat_activity where pid = %d;"
        % s.pid("near")) == "active|Extension|t")
    s.during("all sleep", lambda: victim.poll() is None and {s.state(r) for r in ("victim", "near", "far")} == {"S"})
    s.hang(victim="victim", culprits=["near", "far"], causes=["circular-wait"],
           wrong=["postgres", "bystander", "bystander_backend", "monitor", "monitor_backend"])
    yield
    s.check("the far end gives up", s.ask("monitor", "select pg_cancel_backend(%d);" % s.pid("far")) == "t")
    s.ended("victim")
    s.check("the row changed once", s.ask("monitor", "select n from stock where id = 5;") == "9")
