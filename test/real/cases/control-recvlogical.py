# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: pg_recvlogical waits for changes of PostgreSQL on purpose. A till sells tea each second, and each sale
arrives at once."""
import signal

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client",
         "pg_recvlogical": "postgresql-client"}
TILL = """while :; do
    "$@" -c "insert into sales values ('tea')" && echo sold
    sleep 1
done
"""


def play(s):
    base = Postgres(s, "wal_level=logical")
    with open(s.path("till.sh"), "w", encoding="ascii") as f:
        f.write(TILL)
    base.query("create table sales (what text)")

    def receive(*options):
        return ["pg_recvlogical", "-h", base.where, "-U", "postgres", "-d", "postgres", "--slot", "copy", *options]

    s.out(receive("--create-slot", "--plugin", "test_decoding"))

    s.begin()
    copy = s.start("copy", receive("--start", "--file", "-", "--no-loop"), stop=signal.SIGINT)
    s.wait("the copy is connected", lambda: base.query("select state from pg_stat_replication") == "streaming")
    s.role("sender", int(base.query("select pid from pg_stat_replication")))
    s.start("till", ["sh", "till.sh", *base.client()])

    def sales():
        return s.output("copy").count("INSERT: what[text]:'tea'"), s.output("till").count("sold")

    s.wait("the first sales come", lambda: sales()[0] > 1)
    # One sale may be on its way while the test counts.
    s.during("no sale is late", lambda: abs(sales()[0] - sales()[1]) <= 1)
    s.during("the copy waits, and the server streams", lambda: copy.poll() is None and s.state("copy") == "S"
             and base.query("select state from pg_stat_replication") == "streaming")
    s.normal(victim="copy", causes=["timer"])
    yield
    n = sales()[0]
    s.went_on("more sales come", lambda: sales()[0] > n + 1)
    s.check("a sale came about each second", n >= s.seconds - 2)
    copy.send_signal(signal.SIGINT)
    s.ended("copy")
