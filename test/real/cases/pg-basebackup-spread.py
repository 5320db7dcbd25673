# SPDX-License-Identifier: GPL-2.0-or-later
"""pg_basebackup waits for a checkpoint. The checkpointer writes slowly on purpose: it sleeps after each few pages."""
from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pg_basebackup": "postgresql-client",
         "pg_controldata": "postgresql"}


def play(s):
    base = Postgres(s, "wal_level=replica", "max_wal_senders=4", "checkpoint_timeout=900", "checkpoint_completion_target=0.9",
                    "shared_buffers=64MB", "bgwriter_lru_maxpages=0", "autovacuum=off")
    for name in "monitor", "idler":
        s.start(name, base.client(), talk=True)
        s.role(name + "_backend", int(s.ask(name, "select pg_backend_pid();")))
    base.query("checkpoint")
    base.query("create table stock as select n, repeat('x', 500) as note from generate_series(1, 30000) n")

    def look(kind, what):
        sql = "select coalesce(max(%s), '0') from pg_stat_activity where backend_type = '%s';"
        return s.ask("monitor", sql % (what, kind))

    def waits(kind):
        return look(kind, "wait_event")

    def pid(kind):
        return int(look(kind, "pid"))

    s.role("checkpointer", pid("checkpointer"))
    s.role("bgwriter", pid("background writer"))

    s.begin()
    victim = s.start("victim", ["pg_basebackup", "-h", base.where, "-U", "postgres", "-D", s.path("backup"), "-c", "spread",
                                "-X", "none", "--no-sync", "--no-manifest"])
    s.wait("the walsender waits for the checkpoint", lambda: waits("walsender") == "CheckpointDone")
    s.role("sender", pid("walsender"))

    def sleeps():
        """Waits until the checkpointer sleeps. It writes pages between two sleeps, so a single look may find it
        awake."""
        s.wait("the checkpointer sleeps in its checkpoint", lambda: waits("checkpointer") == "CheckpointWriteDelay", 3)
        return True

    s.during("the checkpointer sleeps in its checkpoint", sleeps)
    s.during("the walsender waits for the checkpoint", lambda: waits("walsender") == "CheckpointDone" and
             pid("walsender") == s.pid("sender"))
    s.during("the checkpointer uses almost no CPU", lambda: not s.uses_cpu("checkpointer", 0.2))
    s.during("pg_basebackup waits", lambda: victim.poll() is None and s.state("victim") == "S" == s.state("sender"))
    s.hang(victim="victim", culprits=["checkpointer"], causes=["timer", "slow-peer", "polling"], stuck=["sender"],
           wrong=["postgres", "bgwriter", "monitor", "monitor_backend", "idler", "idler_backend", "test"])
    yield
    s.say("monitor", "checkpoint;")  # asks for a fast checkpoint, so the checkpointer no longer sleeps between pages
    s.ended("victim")
    s.check("there is a backup", "database system" in s.out(["pg_controldata", s.path("backup")]).lower())
