# SPDX-License-Identifier: GPL-2.0-or-later
"""A SELECT waits for a table that another client of MariaDB has locked. This client is idle."""
HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client"}


def play(s):
    data, sock = s.path("data"), s.path("sock")
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--skip-networking", "--skip-grant-tables"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop; create table shop.stock (id int primary key, n int);"
                    "create table shop.other (id int primary key); insert into shop.stock values (5, 10)"])
    threads = {}
    for name in "monitor", "bystander", "locker":
        s.start(name, client + ["shop"], talk=True)
        threads[name] = s.ask(name, "select tid, id from information_schema.processlist where id = connection_id();").split()
        s.role(name + "_thread", s.pid("mariadbd"), int(threads[name][0]))
    s.ask("bystander", "lock tables other write; select 'locked';")
    s.ask("locker", "lock tables stock write; select 'locked';")

    s.begin()
    victim = s.start("victim", client + ["shop", "-e", "select n from stock where id = 5"])
    waiting = "select count(*), max(tid) from information_schema.processlist where state like 'Waiting for table metadata%';"
    s.wait("the SELECT waits", lambda: s.ask("monitor", waiting).split()[0] == "1")
    thread = s.ask("monitor", waiting).split()[1]
    s.role("thread", s.pid("mariadbd"), int(thread))
    s.during("the SELECT waits for the lock of a table", lambda: s.ask("monitor", waiting).split() == ["1", thread])
    s.during("the owner of the lock is idle", lambda: s.ask("monitor", "select command from information_schema.processlist "
                                                            "where id = %s;" % threads["locker"][1]) == "Sleep")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["locker_thread", "locker", "test"], causes=["lock-holder", "external", "slow-peer"],
           stuck=["thread"], wrong=["bystander", "bystander_thread", "monitor", "monitor_thread", "mariadbd"])
    yield
    s.say("locker", "unlock tables;")
    s.ended("victim")
    s.check("the row came", s.output("victim").strip() == "10")
