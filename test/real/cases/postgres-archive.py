# SPDX-License-Identifier: GPL-2.0-or-later
"""pg_backup_stop() waits until PostgreSQL has archived its log. The archiver waits for its command, and the command for a
file lock. The owner of the lock waits for its user."""
import os

from scene import Postgres, descendants, proc

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "flock": "util-linux"}


def play(s):
    vault, lock = s.path("vault"), s.path("vault/lock")
    os.mkdir(vault)
    with open(lock, "w", encoding="ascii"):
        pass
    for path in vault, lock:
        os.chmod(path, 0o777)
    pg = Postgres(s, "archive_mode=on", "archive_command=flock %s cp %%p %s/%%f" % (lock, vault))
    s.start("victim", pg.client(), talk=True, env={**os.environ, "PGAPPNAME": "backup"})
    pg.backend("backend", "backup")

    def archiver():
        return next(p for p in descendants(s.pid("postgres")) if "archiver" in proc(p, "cmdline"))

    s.wait("there is an archiver", archiver)
    s.role("archiver", archiver())
    pg.query("select pg_switch_wal()")
    s.wait("the archive works", lambda: len(os.listdir(vault)) == 2)
    s.start("owner", ["flock", lock, "cat"], talk=True)
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [s.pid("owner")] and s.child("owner", "cat"))
    s.role("cat", s.child("owner", "cat"))
    s.start("bystander", ["flock", s.path("desk"), "cat"], talk=True)
    s.ask("victim", "select 'begins', pg_backup_start('night', true);")

    s.begin()
    s.say("victim", "select 'ends', labelfile <> '' from pg_backup_stop(true);")
    s.wait("the command waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("waiter", s.locks(lock)["waiters"][0])

    def event():
        return pg.query("select wait_event from pg_stat_activity where application_name = 'backup'")

    s.wait("the backup waits", lambda: event() == "BackupWaitWalArchive")
    s.during("the session waits for the archive", lambda: event() == "BackupWaitWalArchive" and s.state("backend") == "S")
    s.during("the archiver's command waits for the lock", lambda: s.locks(lock) ==
             {"owners": [s.pid("owner")], "waiters": [s.pid("waiter")]} and s.pid("waiter") in descendants(s.pid("archiver")))
    s.during("the owner waits for its user", lambda: s.child("owner") == s.pid("cat") and s.syscall("cat") == "read")
    s.during("the victim waits", lambda: s.state("victim") == "S" and "ends" not in s.output("victim"))
    between = [p for p in descendants(s.pid("archiver")) if p != s.pid("waiter")]
    for i, pid in enumerate(between):
        s.role("between%d" % i, pid)
    # The test is the user.
    s.hang(victim="victim", culprits=["owner", "cat", "test"], causes=["lock-holder", "external"],
           vague=["archiver", "waiter", *("between%d" % i for i in range(len(between)))], stuck=["backend"],
           wrong=["bystander"])
    yield
    s.processes["owner"][0].stdin.close()
    s.went_on("the backup ends", lambda: "ends|t" in s.output("victim"))
    s.check("the log is archived", len(os.listdir(vault)) > 2)
