# SPDX-License-Identifier: GPL-2.0-or-later
"""A session waits for an advisory lock. Its owner waits for another advisory lock, whose owner is idle."""
import os

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client"}
LOCK = "select 'locked' where pg_advisory_lock(%d) is not null;"


def play(s):
    base = Postgres(s)
    for name, key in ("monitor", 1), ("bystander", 2), ("idler", 5), ("middle", 6):
        s.start(name, base.client(), talk=True)
        s.role(name + "_backend", int(s.ask(name, "select pg_backend_pid();")))
        s.check("%s has its lock" % name, s.ask(name, LOCK % key) == "locked")

    def blockers(backend):
        return s.ask("monitor", "select pg_blocking_pids(%d);" % s.pid(backend))

    s.say("middle", LOCK % 5)
    s.wait("the idle session blocks the middle one", lambda: blockers("middle_backend") == "{%d}" % s.pid("idler_backend"))

    s.begin()
    victim = s.start("victim", base.client("-c", LOCK % 6), env={**os.environ, "PGAPPNAME": "victim"})
    asked = "select coalesce(max(pid), 0) from pg_stat_activity where application_name = 'victim';"
    s.wait("the victim is connected", lambda: int(s.ask("monitor", asked)))
    s.role("backend", int(s.ask("monitor", asked)))
    s.wait("the middle session blocks the victim", lambda: blockers("backend") == "{%d}" % s.pid("middle_backend"))
    s.during("the middle session blocks the victim, and the idle session blocks the middle one",
             lambda: blockers("backend") == "{%d}" % s.pid("middle_backend") and
             blockers("middle_backend") == "{%d}" % s.pid("idler_backend"))
    s.during("the idle session is idle", lambda: s.ask("monitor", "select state from pg_stat_activity where pid = %d;"
                                                       % s.pid("idler_backend")) == "idle")
    s.during("all sleep", lambda: victim.poll() is None and {s.state(r) for r in (
        "victim", "backend", "middle", "middle_backend", "idler", "idler_backend")} == {"S"})
    s.hang(victim="victim", culprits=["idler_backend", "idler", "test"], causes=["lock-holder", "external", "slow-peer"],
           stuck=["backend", "middle", "middle_backend"],
           wrong=["postgres", "bystander", "bystander_backend", "monitor", "monitor_backend"])
    yield
    s.say("idler", "select pg_advisory_unlock(5);")
    s.wait("the middle session has its second lock", lambda: s.output("middle").count("locked") == 2)
    s.say("middle", "select pg_advisory_unlock(6);")
    s.ended("victim")
    s.check("the victim had the lock", s.output("victim").strip() == "locked")
