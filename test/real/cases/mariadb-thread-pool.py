# SPDX-License-Identifier: GPL-2.0-or-later
"""mariadb waits for its login: MariaDB's thread pool may have no more threads, and serves LOAD DATA LOCAL of two
clients. Both clients read named pipes, and the export that writes to these is stopped."""
import os
import signal

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client"}
EXPORT = """import time
with open("tea.csv", "w") as tea, open("oil.csv", "w") as oil:
    print("writes", flush=True)
    for n in range(400):
        for f in tea, oil:
            print(n, file=f, flush=True)
        time.sleep(0.01)
"""


def play(s):
    data, port, extra = s.path("data"), s.port(), s.port()
    os.mkdir(data)
    s.out(["mariadb-install-db", "--no-defaults", "--datadir=" + data, "--auth-root-authentication-method=normal",
           "--skip-test-db", "--user=root", "--innodb-log-file-size=8M"])
    s.start("server", ["mariadbd", "--no-defaults", "--datadir=" + data, "--user=root", "--socket=" + s.path("socket"),
                       "--bind-address=127.0.0.1", "--port=" + port, "--extra-port=" + extra,
                       "--extra-max-connections=5", "--thread-handling=pool-of-threads", "--thread-pool-size=1",
                       "--thread-pool-max-threads=3", "--connect-timeout=60", "--local-infile=1", "--skip-name-resolve",
                       "--innodb-log-file-size=8M"])

    def sql(at, text):
        return ["mariadb", "--no-defaults", "-h", "127.0.0.1", "-P", at, "-u", "root", "--local-infile=1", "-NBe", text]

    s.wait("the server answers", lambda: s.connects(extra) and s.out(sql(extra, "select 16")) == "16", 30)
    s.out(sql(port, "create database shop; create table shop.tea (n int); create table shop.oil (n int)"))
    with open(s.path("export.py"), "w", encoding="ascii") as f:
        f.write(EXPORT)
    for name in "tea", "oil":
        os.mkfifo(s.path(name + ".csv"))
        s.start("load_" + name, sql(port, "load data local infile '%s.csv' into table shop.%s" % (name, name)))
    export = s.start("export", ["/usr/bin/python3", "export.py"])

    def loads():
        """How many loads the pool serves, from the server's own table over its extra port."""
        return int(s.out(sql(extra, "select count(*) from information_schema.processlist where info like 'load data%' "
                             "and state = 'Reading from net'"), timeout=5))

    s.wait("both loads run", lambda: s.output("export") == "writes\n" and loads() == 2)
    os.kill(export.pid, signal.SIGSTOP)
    s.wait("both clients wait for the export", lambda: all(s.syscall(r) == "read" for r in ("load_tea", "load_oil")))

    s.begin()
    victim = s.start("victim", sql(port, "select 17"))

    def connection(pid, side="dport"):
        rows = s.out(["ss", "-tnpH", "state", "established", "%s = :%s" % (side, port)]).splitlines()
        return [r for r in rows if "pid=%d," % pid in r]

    s.wait("the victim is connected", lambda: len(connection(victim.pid)) == 1)
    s.during("the export is stopped", lambda: s.state("export") == "T")
    s.during("the pool serves the two loads, which read from the net", lambda: loads() == 2
             and len(connection(s.pid("server"), "sport")) == 3)
    s.during("both loads wait for the export", lambda: all(s.state(r) == "S" and s.syscall(r) == "read"
                                                             for r in ("load_tea", "load_oil")))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S"
             and s.output("victim") == "")
    s.hang(victim="victim", culprits=["export"], causes=["stopped"], vague=["load_tea", "load_oil", "server"],
           wrong=["test"])
    yield
    os.kill(export.pid, signal.SIGCONT)
    s.ended("export")
    s.ended("victim")
    s.check("the answer came", s.output("victim").strip() == "17")
