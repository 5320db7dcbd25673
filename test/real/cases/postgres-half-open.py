# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE waits for the lock of a row. The owner is a PostgreSQL process whose client was on another host. This host has
crashed, so its connection was never closed, and PostgreSQL waits for the client's next query."""
import os
import subprocess

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "unshare": "util-linux",
         "ip": "iproute2", "nsenter": "util-linux", "ss": "iproute2"}
NEAR, FAR = "10.213.76.1", "10.213.76.2"


def play(s):
    host = s.start("host", ["unshare", "-n", "sh", "-c", "ip link set lo up && echo ready && exec sleep 3600"])
    s.wait("the other host is there", lambda: "ready" in s.output("host"))
    s.callback(subprocess.run, ["ip", "link", "del", "ct-pg-near"], stderr=subprocess.DEVNULL, check=False)
    s.out(["ip", "link", "add", "ct-pg-near", "type", "veth", "peer", "name", "ct-pg-far", "netns", host.pid])
    s.out(["ip", "addr", "add", NEAR + "/30", "dev", "ct-pg-near"])
    s.out(["ip", "link", "set", "ct-pg-near", "up"])
    inside = ["nsenter", "-t", host.pid, "-n"]
    s.out([*inside, "ip", "addr", "add", FAR + "/30", "dev", "ct-pg-far"])
    s.out([*inside, "ip", "link", "set", "ct-pg-far", "up"])

    base = Postgres(s, "listen_addresses=" + NEAR)
    loaded = base.query("select pg_conf_load_time()")
    with open(os.path.join(base.where, "data", "pg_hba.conf"), "a", encoding="ascii") as f:
        f.write("host all all %s/32 trust\n" % FAR)
    base.query("select pg_reload_conf()")
    base.query("create table stock (id int primary key, n int)")
    base.query("insert into stock select i, 10 from generate_series(1, 100) i")
    far = [*inside, "psql", "-X", "-q", "-A", "-t", "-h", NEAR, "-U", "postgres", "-d", "postgres"]
    s.wait("the server has the new settings", lambda: base.query("select pg_conf_load_time()") != loaded)
    s.check("the other host reaches the database", s.out([*far, "-c", "select 17"]) == "17")
    for name, row, client in ("bystander", 9, base.client()), ("lost", 5, far):
        s.start(name, client, talk=True, env={**os.environ, "PGAPPNAME": name})
        s.say(name, "begin; update stock set n = n - 1 where id = %d; select 'updated';" % row)
        base.backend(name + "_backend", name)
        s.wait("%s has its row" % name, lambda name=name: "updated" in s.output(name))
    s.out([*inside, "ip", "link", "set", "ct-pg-far", "down"])
    lost = s.processes["lost"][0]
    lost.kill()
    s.wait("the client is gone", lambda: lost.poll() is not None)

    s.begin()
    victim = s.start("victim", base.client("-c", "update stock set n = n - 2 where id = 5"),
                     env={**os.environ, "PGAPPNAME": "victim"})
    backend = base.backend("backend", "victim")
    blockers = "select pg_blocking_pids(%d)" % backend
    s.wait("the lock blocks the UPDATE", lambda: base.query(blockers) == "{%d}" % s.pid("lost_backend"))
    s.during("the lost client's backend blocks the UPDATE", lambda: base.query(blockers) == "{%d}" % s.pid("lost_backend"))
    s.during("this backend is idle in its transaction", lambda: base.query(
        "select state || ', ' || wait_event || ', ' || host(client_addr) from pg_stat_activity where pid = %d" %
        s.pid("lost_backend")) == "idle in transaction, ClientRead, " + FAR)
    s.during("its connection is open", lambda: "ESTAB" in s.out(["ss", "-tnH", "sport = :5432", "dst", FAR]))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.state("backend") == "S")
    s.hang(victim="victim", culprits=["lost_backend"],
           causes=["lock-holder", "external", "slow-peer", "network", "missing-wakeup"], stuck=["backend"],
           wrong=["bystander", "bystander_backend", "postgres", "host", "test"])
    yield
    s.check("the administrator ends the lost session",
            base.query("select pg_terminate_backend(%d)" % s.pid("lost_backend")) == "t")
    s.ended("victim")
    s.check("the update is there", base.query("select n from stock where id = 5") == "8")
