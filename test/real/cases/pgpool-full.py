# SPDX-License-Identifier: GPL-2.0-or-later
"""psql waits for pgpool, which has processes for two clients. Two forgotten sessions of psql have both: each waits for
the next line of its user."""
from scene import Postgres, children, proc

HELD_OUT = False
NEEDS = {"pgpool": "pgpool2", "postgres": "postgresql", "psql": "postgresql-client", "ss": "iproute2"}
CONFIG = """backend_clustering_mode = 'raw'
listen_addresses = '127.0.0.1'
port = {port}
socket_dir = '{w}'
pcp_port = {pcp}
pcp_socket_dir = '{w}'
pid_file_name = '{w}/pgpool.pid'
logdir = '{w}'
backend_hostname0 = '{w}/pg'
backend_port0 = 5432
backend_weight0 = 1
num_init_children = {clients}
max_pool = 1
child_life_time = 0
client_idle_limit = 0
connection_life_time = 0
enable_pool_hba = off
health_check_period = 0
sr_check_period = 0
"""
CLIENTS = 2


def play(s):
    pg = Postgres(s)
    port = s.port()
    with open(s.path("pgpool.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG.format(w=s.where, port=port, pcp=s.port(), clients=CLIENTS))
    for name in "pool_hba.conf", "pcp.conf":
        with open(s.path(name), "w", encoding="ascii"):
            pass
    pool = s.start("pgpool", ["pgpool", "-n", "-f", s.path("pgpool.conf"), "-a", s.path("pool_hba.conf"),
                              "-F", s.path("pcp.conf")])
    through = ["psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", port, "-U", "postgres", "-d", "postgres"]
    s.wait("pgpool answers", lambda: s.connects(port), 20)
    s.wait("a query goes through pgpool", lambda: s.out([*through, "-c", "select 17"]) == "17", 20)

    def rows(side):
        return s.out(["ss", "-tnpH", "state", "established", "%s = :%s" % (side, port)]).splitlines()

    def serving():
        """The processes of pgpool that serve a client."""
        return [p for p in children(pool.pid) if any("pid=%d," % p in row for row in rows("sport"))]

    admins = []
    for i in range(CLIENTS):
        admins.append(s.start("admin%d" % i, through, talk=True))
        s.check("the session works", s.ask("admin%d" % i, "select 'admin';") == "admin")
    s.wait("pgpool serves both", lambda: len(serving()) == CLIENTS)
    for i, pid in enumerate(serving()):
        s.role("child%d" % i, pid)

    s.begin()
    victim = s.start("victim", [*through, "-c", "select 'price', 17"])

    def not_accepted():
        """The victim's connection belongs to no process of pgpool."""
        mine = [row.split()[2] for row in rows("dport") if "pid=%d," % victim.pid in row]
        return len(mine) == 1 and not any(mine[0] in row and "pid=" in row for row in rows("sport"))

    s.wait("nobody accepts the victim's connection", not_accepted)
    s.during("nobody accepts the victim's connection", not_accepted)
    s.during("each process of pgpool has a session", lambda: sorted(serving()) == sorted(
        s.pid("child%d" % i) for i in range(CLIENTS)))
    s.during("the sessions wait for their users", lambda: all(a.poll() is None for a in admins) and
             all(proc(a.pid, "syscall").startswith("0 0x0 ") for a in admins))
    s.during("the server works, and has nothing to do for the sessions", lambda: pg.query(
        "select count(*) from pg_stat_activity where state = 'active' and backend_type = 'client backend'") == "1")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.output("victim") == "")
    s.hang(victim="victim", culprits=["admin0", "admin1"], causes=["queueing", "external"],
           vague=["child0", "child1", "pgpool"], wrong=["postgres"])
    yield
    for a in admins:
        a.stdin.close()
    s.ended("victim")
    s.check("the price came", s.output("victim") == "price|17\n")
