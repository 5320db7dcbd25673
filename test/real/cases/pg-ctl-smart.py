# SPDX-License-Identifier: GPL-2.0-or-later
"""`pg_ctl stop -m smart` waits for the postmaster, which waits until its last client, an idle psql, leaves."""
import os

from scene import Postgres

HELD_OUT = True
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pg_ctl": "postgresql"}


def play(s):
    base = Postgres(s)
    base.query("create table stock as select 17 as n")
    shell = s.start("shell", base.client(), talk=True)
    s.role("backend", int(s.ask("shell", "select pg_backend_pid();")))
    s.check("psql has an answer", s.ask("shell", "select n from stock;") == "17")
    s.start("bystander", ["sleep", "60"])

    s.begin()
    victim = s.start("victim", ["pg_ctl", "stop", "-D", os.path.join(base.where, "data"), "-m", "smart", "-t", "60"],
                     user=base.USER)

    def refused():
        try:
            base.query("select 1")
        except ValueError as e:
            return "shutting down" in str(e)
        return False

    s.wait("the server shuts down", refused)
    s.during("the server lets no client in", refused)
    s.during("pg_ctl waits", lambda: victim.poll() is None and not s.uses_cpu("victim", 0.1))
    s.during("psql is idle", lambda: shell.poll() is None and s.state("shell") == "S" and s.syscall("shell") == "read")
    s.during("its backend waits for psql", lambda: s.state("backend") == "S" and s.syscall("backend") == "epoll_wait")
    s.hang(victim="victim", culprits=["shell", "backend", "test"], causes=["external", "slow-peer", "polling", "timer"],
           vague=["postgres"], wrong=["bystander"])
    yield
    s.say("shell", "\\q")
    s.ended("victim")
    s.check("the server has stopped", "server stopped" in s.output("victim"))
