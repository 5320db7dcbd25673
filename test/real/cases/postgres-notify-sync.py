# SPDX-License-Identifier: GPL-2.0-or-later
"""A NOTIFY of PostgreSQL waits for the lock that all commits with a NOTIFY take one after the other. The owner of the lock is a
commit that waits for a synchronous receiver, pg_receivewal. The receiver waits for its slow disk."""
import os
import time

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pg_receivewal": "postgresql-client",
         "losetup": "mount", "mkfs.ext2": "e2fsprogs"}


def play(s):
    disk, _, limit = s.slow_disk(128)
    base = Postgres(s, "wal_level=replica", "max_wal_senders=4", "wal_sender_timeout=0", "autovacuum=off")
    base.query("create table orders (id int, what text)")
    os.mkdir(s.path("bystander"))
    for name, where in ("vault", disk), ("bystander", s.path("bystander")):
        asked = "host=%s user=postgres dbname=postgres application_name=%s" % (base.where, name)
        s.start(name, ["pg_receivewal", "-D", where, "-d", asked, "--synchronous", "--no-loop", "-s", "1"])
        base.backend(name + "_sender", name)
    for name in "monitor", "idler", "orders":
        s.start(name, base.client(), talk=True)
        s.role(name + "_backend", int(s.ask(name, "select pg_backend_pid();")))
    s.check("an idle transaction is open", s.ask("idler", "begin; insert into orders values (0, 'none') returning id;") == "0")
    base.query("alter system set synchronous_standby_names = 'vault'")
    base.query("select pg_reload_conf()")
    s.wait("the vault is synchronous", lambda: s.ask(
        "monitor", "select sync_state from pg_stat_replication where application_name = 'vault';") == "sync")
    base.query("notify shop, 'open'")
    s.out(["sync", "-f", disk])

    def waiting(what):
        return s.ask("monitor", "select coalesce(string_agg(pid || ' ' || array_to_string(pg_blocking_pids(pid), ','), ';'), '-')"
                     " from pg_stat_activity where backend_type = 'client backend' and wait_event = '%s';" % what)

    def waits_for_disk():
        """Looks many times. Returns whether the receiver waited for the disk in most of these looks."""
        looks = []
        for _ in range(30):
            looks.append(s.state("vault") == "D")
            time.sleep(0.01)
        return sum(looks) > 15

    limit(100 << 10)
    s.say("orders", "begin; insert into orders select i, repeat(md5(i::text), 30) from generate_series(1, 7000) i; "
          "notify shop, 'orders'; commit; select 'sent';")
    s.wait("the commit waits for the vault", lambda: waiting("SyncRep").split()[0] == str(s.pid("orders_backend")))

    s.begin()
    victim = s.start("victim", base.client("-c", "set synchronous_commit = local", "-c", "notify shop, 'parcel'"))
    s.wait("the NOTIFY waits", lambda: waiting("object").split()[1] == str(s.pid("orders_backend")))
    s.role("backend", int(waiting("object").split()[0]))
    s.during("the NOTIFY waits for the lock of the other commit",
             lambda: waiting("object") == "%d %d" % (s.pid("backend"), s.pid("orders_backend")))
    s.during("the commit waits for the vault", lambda: waiting("SyncRep").strip() == str(s.pid("orders_backend")))
    s.during("the vault waits for its disk", waits_for_disk)
    s.during("psql waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("PostgreSQL answers others", lambda: base.query("select 6 * 7") == "42")
    s.hang(victim="victim", culprits=["vault"], causes=["disk"], vague=["vault_sender", "orders_backend"], stuck=["backend"],
           wrong=["orders", "idler", "idler_backend", "monitor", "monitor_backend", "bystander", "bystander_sender", "postgres",
                  "test"])
    yield
    limit(0)
    s.ended("victim")
    s.wait("the orders are sent", lambda: "sent" in s.output("orders"))
