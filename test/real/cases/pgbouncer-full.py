# SPDX-License-Identifier: GPL-2.0-or-later
"""A query waits for the only server connection of pgbouncer. A client that is idle in its transaction has it."""
from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pgbouncer": "pgbouncer"}


def play(s):
    base, port = Postgres(s), s.port()
    with open(s.path("pgbouncer.ini"), "w", encoding="utf-8") as f:
        f.write("[databases]\nshop = host=%s dbname=postgres user=postgres pool_size=1\n[pgbouncer]\n"
                "listen_addr = 127.0.0.1\nlisten_port = %s\nunix_socket_dir =\nauth_type = any\nadmin_users = postgres\n"
                "pool_mode = transaction\n" % (base.where, port))
    s.start("pgbouncer", ["pgbouncer", s.path("pgbouncer.ini")], user=Postgres.USER)
    s.wait("pgbouncer answers", lambda: s.connects(port))

    def client(database, *args):
        return ["psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", port, "-U", "postgres", "-d", database, *args]

    s.start("monitor", client("pgbouncer"), talk=True)
    s.start("idler", client("shop"), talk=True)
    s.role("idler_backend", int(s.ask("idler", "begin; select pg_backend_pid();")))
    s.start("bystander", base.client(), talk=True)
    s.role("bystander_backend", int(s.ask("bystander", "select pg_backend_pid();")))

    def pool():
        """(clients with a server, clients that wait for one)"""
        rows = [line.split("|") for line in s.ask("monitor", "show pools;").splitlines()]
        return next((int(r[2]), int(r[3])) for r in rows if r[0] == "shop")

    s.begin()
    victim = s.start("victim", client("shop", "-c", "select 'answer'"))
    s.wait("the victim waits for a server", lambda: pool() == (1, 1))
    s.during("the victim waits for a server, and the idle client has the only one", lambda: pool() == (1, 1))
    s.during("the idle client is idle in its transaction", lambda: s.ask(
        "bystander", "select state from pg_stat_activity where pid = %d;" % s.pid("idler_backend")) == "idle in transaction")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["idler", "test"], causes=["lock-holder", "queueing", "external", "slow-peer"],
           vague=["pgbouncer", "idler_backend"], wrong=["postgres", "bystander", "bystander_backend", "monitor"])
    yield
    s.say("idler", "commit;")
    s.ended("victim")
    s.check("the answer came", s.output("victim").strip() == "answer")
