# SPDX-License-Identifier: GPL-2.0-or-later
"""CREATE INDEX CONCURRENTLY waits for the snapshot of pg_dump. pg_dump waits for gzip, which SIGSTOP has stopped."""
import os
import signal

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pg_dump": "postgresql-client",
         "gzip": "gzip"}


def play(s):
    base = Postgres(s)
    base.query("create table archive as select g as id, repeat(md5(g::text), 8) as page from generate_series(1, 300000) g")
    base.query("create table stock as select g as id, g % 7 as n from generate_series(1, 1000) g")
    s.start("monitor", base.client(), talk=True)
    s.role("monitor_backend", int(s.ask("monitor", "select pg_backend_pid();")))
    # The bystander is idle in a transaction, but has no snapshot.
    s.start("bystander", base.client(), talk=True)
    s.role("bystander_backend", int(s.ask("bystander", "select pg_backend_pid();")))
    s.ask("bystander", "begin; select 1;")

    dump = s.start("dump", ["sh", "-c", "pg_dump -h %s -U postgres -t archive postgres | gzip >dump.gz" % base.where],
                   env={**os.environ, "PGAPPNAME": "dump"})
    s.wait("gzip compresses", lambda: s.child("dump", "gzip") and os.path.getsize(s.path("dump.gz")) > 0)
    s.role("gzip", s.child("dump", "gzip"))

    s.begin()
    os.kill(s.pid("gzip"), signal.SIGSTOP)
    s.wait("gzip stops", lambda: s.state("gzip") == "T")
    s.role("pg_dump", s.child("dump", "pg_dump"))
    s.wait("pg_dump waits for gzip", lambda: s.syscall("pg_dump") == "write" and "pipe" in s.wchan("pg_dump"))
    base.backend("dump_backend", "dump")
    victim = s.start("victim", base.client("-c", "create index concurrently stock_n on stock (n)"),
                     env={**os.environ, "PGAPPNAME": "victim"})
    base.backend("backend", "victim")

    def blockers():
        return s.ask("monitor", "select phase, pg_blocking_pids(pid) from pg_stat_progress_create_index;")

    s.wait("the index waits for an old snapshot", lambda: blockers() == "waiting for old snapshots|{%d}" % s.pid("dump_backend"))
    s.during("the index waits for the snapshot of pg_dump",
             lambda: blockers() == "waiting for old snapshots|{%d}" % s.pid("dump_backend"))
    s.during("the backend of pg_dump waits for its client", lambda: s.ask(
        "monitor", "select wait_event from pg_stat_activity where pid = %d;" % s.pid("dump_backend")) == "ClientWrite")
    s.during("pg_dump waits for gzip", lambda: s.syscall("pg_dump") == "write" and "pipe" in s.wchan("pg_dump"))
    s.during("gzip is stopped", lambda: s.state("gzip") == "T" and dump.poll() is None)
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the bystander is idle in its transaction", lambda: s.ask(
        "monitor", "select state from pg_stat_activity where pid = %d;" % s.pid("bystander_backend")) == "idle in transaction")
    s.hang(victim="victim", culprits=["gzip", "test"], causes=["stopped"], vague=["dump_backend", "pg_dump"], stuck=["backend"],
           wrong=["postgres", "bystander", "bystander_backend", "monitor", "monitor_backend"])
    yield
    os.kill(s.pid("gzip"), signal.SIGCONT)
    s.ended("victim")
    s.ended("dump")
