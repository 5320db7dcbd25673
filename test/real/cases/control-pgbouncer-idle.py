# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: pgbouncer keeps four connections to PostgreSQL for its clients, who send about one query a second. Most of the time,
all four PostgreSQL processes wait for a query."""
from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pgbouncer": "pgbouncer"}
CONFIG = """[databases]
shop = host=%s dbname=postgres user=postgres pool_size=4
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %s
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_lifetime = 3600
server_idle_timeout = 3600
"""


def play(s):
    base, port = Postgres(s), s.port()
    base.query("create table stock (n int)")
    base.query("insert into stock values (0)")
    with open(s.path("pgbouncer.ini"), "w", encoding="ascii") as f:
        f.write(CONFIG % (base.where, port))
    s.start("pgbouncer", ["pgbouncer", s.path("pgbouncer.ini")], user=Postgres.USER)
    s.wait("pgbouncer listens", lambda: s.connects(port))
    client = ["psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", port, "-U", "postgres", "-d", "shop"]
    for i in range(4):
        s.start("client%d" % i, client, talk=True)
        s.check("a client is served", s.ask("client%d" % i, "begin; select n from stock;") == "0")
    for i in range(4):
        s.check("its transaction ends", s.ask("client%d" % i, "commit; select 1;") == "1")
    s.start("monitor", base.client(), talk=True)
    mine = ("select string_agg(pid::text, ' ' order by pid) from pg_stat_activity "
            "where backend_type = 'client backend' and pid <> pg_backend_pid();")
    s.wait("pgbouncer has four connections", lambda: len(s.ask("monitor", mine).split()) == 4)
    backends = s.ask("monitor", mine)
    for i, pid in enumerate(backends.split()):
        s.role("backend%d" % i, int(pid))
    query = "update stock set n = n + 1 returning 'sold ' || n"
    with open(s.path("shop.sh"), "w", encoding="ascii") as f:
        f.write("while sleep 1; do echo \"%s;\"; done | %s\n" % (query, " ".join(map(str, client))))
    s.start("shop", ["sh", "shop.sh"])

    def sold():
        return s.output("shop").count("sold")

    s.wait("a query is answered", lambda: sold() > 0)

    s.begin()
    s.during("the same four connections are there, and idle", lambda: s.ask("monitor", mine) == backends and s.ask(
        "monitor", "select count(*) from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid() and "
        "clock_timestamp() - query_start > '0.3 s';") == "0")
    s.during("no lock is waited for", lambda: s.ask("monitor", "select count(*) from pg_locks where not granted;") == "0")
    s.during("queries are answered", lambda: sold() > 0)
    s.normal(victim="backend0", causes=["timer", "external"])
    yield
    n = sold()
    s.went_on("more queries are answered", lambda: sold() > n)
    s.check("a query was answered about each second", n >= s.seconds - 2)
