# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: pgbench sends twenty small transactions a second to PostgreSQL. Each is answered at once."""
import re

from scene import Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "pgbench": "postgresql"}
RATE = 20


def play(s):
    base = Postgres(s)
    bench = ["pgbench", "-h", base.where, "-U", "postgres"]
    s.out([*bench, "-i", "-q", "-s", "1", "postgres"])
    s.start("bystander", base.client(), talk=True)
    s.ask("bystander", "select pg_backend_pid();")

    s.begin()
    s.start("bench", [*bench, "-n", "-S", "-c", "2", "-j", "1", "-R", RATE, "-T", "60", "-P", "1", "postgres"])

    def reports():
        return [(float(tps), float(ms)) for tps, ms in
                re.findall(r"^progress: [\d.]+ s, ([\d.]+) tps, lat ([\d.]+) ms .*\n", s.output("bench"), re.M)]

    s.wait("the first report comes", reports)
    s.during("the transactions come, and each is answered at once",
             lambda: reports() and all(tps > RATE / 4 and ms < 100 for tps, ms in reports()))
    s.normal(victim="bench", causes=["timer"])
    yield
    n = len(reports())
    s.went_on("more reports come", lambda: len(reports()) > n)
    s.check("a report came about each second", n >= s.seconds - 2)
