# SPDX-License-Identifier: GPL-2.0-or-later
"""A SELECT of MariaDB waits behind an ALTER TABLE. The ALTER waits for a client that is idle in its transaction."""
HELD_OUT = True
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client"}


def play(s):
    data, sock = s.path("data"), s.path("sock")
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--skip-networking", "--skip-grant-tables"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop; create table shop.stock (id int primary key, n int) engine=innodb;"
                    "create table shop.other (id int primary key) engine=innodb; insert into shop.stock values (5, 10)"])
    threads = {}
    for name in "monitor", "bystander", "idler":
        s.start(name, client + ["shop"], talk=True)
        threads[name] = s.ask(name, "select tid, id from information_schema.processlist where id = connection_id();").split()
        s.role(name + "_thread", s.pid("mariadbd"), int(threads[name][0]))
    s.ask("bystander", "begin; select count(*) from other;")
    s.ask("idler", "begin; select count(*) from stock;")
    waiting = ("select concat('tids ', coalesce(group_concat(tid), '')) from information_schema.processlist "
               "where state like 'Waiting for table metadata%%' and info like '%s%%';")

    def waiter(what):
        """The thread of the statement, if it waits for the table."""
        return s.ask("monitor", waiting % what).partition(" ")[2]

    s.begin()
    alter = s.start("alter", client + ["shop", "-e", "alter table stock add column price int"])
    s.wait("the ALTER waits", lambda: waiter("alter"))
    s.role("alter_thread", s.pid("mariadbd"), int(waiter("alter")))
    victim = s.start("victim", client + ["shop", "-e", "select n from stock where id = 5"])
    s.wait("the SELECT waits", lambda: waiter("select n"))
    s.role("thread", s.pid("mariadbd"), int(waiter("select n")))
    s.during("both wait for the table", lambda: int(waiter("alter")) == s.roles["alter_thread"][1] and
             int(waiter("select n")) == s.roles["thread"][1])
    s.during("the idle client is idle", lambda: s.ask("monitor", "select command from information_schema.processlist "
                                                      "where id = %s;" % threads["idler"][1]) == "Sleep")
    s.during("the victim waits", lambda: victim.poll() is None and alter.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["idler_thread", "idler", "test"], causes=["lock-holder", "external", "slow-peer"],
           vague=["alter", "alter_thread"], stuck=["thread"],
           wrong=["bystander", "bystander_thread", "monitor", "monitor_thread", "mariadbd"])
    yield
    s.say("idler", "commit;")
    s.ended("alter")
    s.ended("victim")
    s.check("the row came", s.output("victim").strip() == "10")
