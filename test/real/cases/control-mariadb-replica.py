# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a replica of MariaDB waits for the next change. A client changes a row of the primary server about once in two
seconds."""
import os

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client"}


def play(s):
    clients, port = {}, s.port()
    for name, options in ("primary", ["--server-id=1", "--log-bin=bin", "--bind-address=127.0.0.1", "--port=" + port]), \
            ("replica", ["--server-id=2", "--relay-log=relay", "--skip-networking", "--skip-slave-start"]):
        data, sock = s.path(name), s.path(name + ".sock")
        s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db",
               "--auth-root-authentication-method=normal"])
        s.start(name, ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                       "--pid-file=" + s.path(name + ".pid"), *options])
        clients[name] = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-u", "root", "-S", sock]
    for name in clients:
        s.wait("%s is ready" % name, lambda name=name: "ready for connections" in s.output(name), 30)
    s.out(clients["primary"] + ["-e", "create user repl@'127.0.0.1' identified by 'r'; create user repl@localhost identified by "
                                "'r'; grant replication slave on *.* to repl@'127.0.0.1', repl@localhost; "
                                "create database shop; create table shop.stock (id int primary key, n int); "
                                "insert into shop.stock values (5, 0)"])
    start = os.path.basename(s.out(["sh", "-c", 'ls "$0"/bin.0* | head -1', s.path("primary")]))
    s.out(clients["replica"] + ["-e", "change master to master_host = '127.0.0.1', master_port = %s, master_user = 'repl', "
                                "master_password = 'r', master_log_file = '%s', master_log_pos = 4; start slave" % (port, start)])
    for name in clients:
        s.start(name + "_monitor", clients[name], talk=True)
    with open(s.path("shop.sh"), "w", encoding="ascii") as f:
        f.write("while sleep 2; do echo 'update shop.stock set n = n + 1;'; done | %s\n" % " ".join(clients["primary"]))
    s.start("shop", ["sh", "shop.sh"])

    def stock(name):
        return int(s.ask(name + "_monitor", "select ifnull(max(n), 0) from shop.stock;"))

    s.wait("the replica has the table", lambda: s.ask("replica_monitor", "select count(*) from information_schema.tables "
                                                      "where table_schema = 'shop';") == "1", 20)
    s.wait("the replica has a change", lambda: stock("replica") > 0, 20)
    for role in "io", "sql":
        s.role(role, s.pid("replica"), int(s.ask("replica_monitor", "select tid from information_schema.processlist "
                                                 "where command = 'Slave_%s';" % role)))

    s.begin()
    s.during("the replica has all changes", lambda: s.wait(
        "the replica has all changes", lambda: stock("replica") == stock("primary"), 2) is None)
    s.during("its thread waits for changes", lambda: [s.state("sql") for _ in range(9)].count("S") > 4)
    s.normal(victim="sql", causes=["timer", "external"])
    before = stock("primary")
    yield
    s.check("rows were changed", stock("primary") >= before + s.seconds // 2 - 1)
    n = stock("replica")
    s.went_on("the next change comes", lambda: stock("replica") > n)
