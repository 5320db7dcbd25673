# SPDX-License-Identifier: GPL-2.0-or-later
"""A commit waits until a synchronous receiver has the log. SIGSTOP has stopped this receiver, pg_receivewal."""
import os
import signal

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pg_receivewal": "postgresql-client"}


def play(s):
    base = Postgres(s, "wal_level=replica", "max_wal_senders=4", "wal_sender_timeout=0")
    base.query("create table stock (id int, n int)")
    for name in "vault", "bystander":
        os.mkdir(s.path(name))
        where = "host=%s user=postgres dbname=postgres application_name=%s" % (base.where, name)
        s.start(name, ["pg_receivewal", "-D", s.path(name), "-d", where, "--synchronous", "--no-loop", "-s", "1"])
        base.backend(name + "_sender", name)
    for name in "monitor", "idler":
        s.start(name, base.client(), talk=True)
        s.role(name + "_backend", int(s.ask(name, "select pg_backend_pid();")))
    base.query("alter system set synchronous_standby_names = 'vault'")
    base.query("select pg_reload_conf()")

    def vault(what):
        return s.ask("monitor", "select %s from pg_stat_replication where application_name = 'vault';" % what)

    s.wait("the vault is synchronous", lambda: vault("sync_state") == "sync")
    base.query("insert into stock values (1, 10)")

    s.begin()
    s.processes["vault"][0].send_signal(signal.SIGSTOP)
    s.wait("the vault stops", lambda: s.state("vault") == "T")
    victim = s.start("victim", base.client("-c", "insert into stock values (2, 20)"), env={**os.environ, "PGAPPNAME": "victim"})
    asked = "select coalesce(max(pid), 0) from pg_stat_activity where application_name = 'victim' and wait_event = 'SyncRep';"
    s.wait("the commit waits for the standby", lambda: int(s.ask("monitor", asked)))
    s.role("backend", int(s.ask("monitor", asked)))
    s.during("the vault is stopped", lambda: s.state("vault") == "T")
    s.during("the commit waits for the standby", lambda: int(s.ask("monitor", asked)) == s.pid("backend"))
    s.during("the vault has not confirmed the log",
             lambda: vault("sync_state, flush_lsn < pg_current_wal_flush_lsn()") == "sync|t")
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S" == s.state("backend"))
    s.hang(victim="victim", culprits=["vault", "test"], causes=["stopped"], vague=["vault_sender"], stuck=["backend"],
           wrong=["postgres", "bystander", "bystander_sender", "monitor", "monitor_backend", "idler", "idler_backend"])
    yield
    s.processes["vault"][0].send_signal(signal.SIGCONT)
    s.ended("victim")
    s.check("the row is there", s.ask("monitor", "select n from stock where id = 2;") == "20")
