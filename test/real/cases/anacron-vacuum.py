# SPDX-License-Identifier: GPL-2.0-or-later
"""anacron runs its jobs one after the other, and waits for the first one. This job, VACUUM FULL of PostgreSQL, waits for the lock
of a table. The owner of the lock is a psql session: its user has left a transaction open."""
import os

from scene import Postgres, descendants

HELD_OUT = True
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "anacron": "anacron"}
TAB = """SHELL=/bin/sh
PATH=/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin
1 0 vacuum PGAPPNAME=vacuum %s
1 0 report date >%s
"""


def play(s):
    base = Postgres(s, "autovacuum=off")
    base.query("create table stock (id int primary key, n int)")
    base.query("create table other (id int primary key, n int)")
    base.query("insert into stock values (5, 10)")
    base.query("insert into other values (5, 10)")
    os.mkdir(s.path("spool"))
    with open(s.path("tab"), "w", encoding="ascii") as f:
        f.write(TAB % (" ".join(base.client("-c", "'vacuum full stock'")), s.path("report")))
    for name in "monitor", "analyst", "bystander":
        s.start(name, base.client(), talk=True)
        s.role(name + "_backend", int(s.ask(name, "select pg_backend_pid();")))
    s.check("the analyst has read the table", s.ask("analyst", "begin; select n from stock where id = 5;") == "10")
    s.check("another user has read another table", s.ask("bystander", "begin; select n from other where id = 5;") == "10")
    asked = ("select coalesce(max(pid), 0) from pg_stat_activity where application_name = 'vacuum' and wait_event = 'relation' "
             "and pg_blocking_pids(pid) = array[%d];" % s.pid("analyst_backend"))

    s.begin()
    victim = s.start("victim", ["anacron", "-d", "-f", "-n", "-s", "-t", s.path("tab"), "-S", s.path("spool")])
    s.wait("VACUUM waits for the analyst's lock", lambda: int(s.ask("monitor", asked)))
    s.role("backend", int(s.ask("monitor", asked)))
    for pid in descendants(victim.pid):
        s.role("job-%d" % pid, pid)
    s.during("VACUUM waits for the analyst's lock", lambda: int(s.ask("monitor", asked)) == s.pid("backend"))
    s.during("the analyst's session idles in its transaction", lambda: s.ask(
        "monitor", "select state from pg_stat_activity where pid = %d;" % s.pid("analyst_backend")) == "idle in transaction")
    s.during("anacron waits, and has not started the next job", lambda: victim.poll() is None and
             s.state("victim") == "S" and not os.path.exists(s.path("report")) and len(descendants(victim.pid)) > 0)
    s.during("PostgreSQL answers others", lambda: base.query("select n from other where id = 5") == "10")
    s.hang(victim="victim", culprits=["analyst", "analyst_backend", "test"], causes=["lock-holder", "external", "slow-peer"],
           vague=["backend"], stuck=[name for name in s.roles if name.startswith("job-")],
           wrong=["bystander", "bystander_backend", "monitor", "monitor_backend", "postgres"])
    yield
    s.say("analyst", "commit;")
    s.ended("victim")
    s.check("the next job has run", os.path.getsize(s.path("report")) > 0)
