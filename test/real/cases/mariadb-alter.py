# SPDX-License-Identifier: GPL-2.0-or-later
"""A SELECT waits behind an ALTER TABLE. The ALTER waits for a client of MariaDB that is idle in its transaction."""
HELD_OUT = True
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client"}


def play(s):
    data, sock = s.path("data"), s.path("sock")
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--skip-networking", "--skip-grant-tables"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop; create table shop.stock (id int primary key, n int);"
                    "create table shop.other (id int primary key); insert into shop.stock values (5, 10);"
                    "insert into shop.other values (7)"])
    connections = {}
    for name in "monitor", "bystander", "idler":
        s.start(name, client + ["shop"], talk=True)
        tid, connections[name] = s.ask(
            name, "select tid, id from information_schema.processlist where id = connection_id();").split()
        s.role(name + "_thread", s.pid("mariadbd"), int(tid))
    s.ask("bystander", "begin; select id from other;")
    s.ask("idler", "begin; select n from stock;")

    def waiting(command):
        """[number, a tid] of the threads that wait for a table's metadata lock with this command."""
        return s.ask("monitor", "select count(*), ifnull(max(tid), 0) from information_schema.processlist "
                     "where state like 'Waiting for table metadata%%' and info like '%s%%';" % command).split()

    alter = s.start("alter", client + ["shop", "-e", "alter table stock add column place int"])
    s.wait("the ALTER waits", lambda: waiting("alter")[0] == "1")
    s.role("alter_thread", s.pid("mariadbd"), int(waiting("alter")[1]))

    s.begin()
    victim = s.start("victim", client + ["shop", "-e", "select n from stock where id = 5"])
    s.wait("the SELECT waits", lambda: waiting("select n")[0] == "1")
    s.role("thread", s.pid("mariadbd"), int(waiting("select n")[1]))
    s.during("the ALTER and the SELECT wait for the metadata lock", lambda: all(
        waiting(what) == ["1", str(s.roles[role][1])] for what, role in (("alter", "alter_thread"), ("select n", "thread"))))
    s.during("the client with the transaction is idle", lambda: s.ask(
        "monitor", "select command from information_schema.processlist where id = %s;" % connections["idler"]) == "Sleep")
    s.during("both clients wait", lambda: victim.poll() is None and alter.poll() is None and
             s.state("victim") == s.state("alter") == "S")
    # The test has the other end of the idle client's input, and does not send the commit.
    s.hang(victim="victim", culprits=["idler_thread", "idler", "test"], causes=["lock-holder", "external", "slow-peer"],
           stuck=["thread", "alter", "alter_thread"],
           wrong=["bystander", "bystander_thread", "monitor", "monitor_thread", "mariadbd"])
    yield
    s.say("idler", "commit;")
    s.ended("alter")
    s.ended("victim")
    s.check("the row came", s.output("victim").strip() == "10")
