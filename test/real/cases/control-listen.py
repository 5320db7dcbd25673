# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a worker waits on purpose for a NOTIFY of PostgreSQL. Jobs come twice a second, and each is done at once."""
import importlib.util
import sys

from scene import Missing, Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client"}

WORKER = """
import select, sys
import psycopg2
base = psycopg2.connect(host=sys.argv[1], user="postgres", dbname="postgres", application_name=sys.argv[2])
base.autocommit = True
cursor = base.cursor()
cursor.execute("listen " + sys.argv[2])
print("listens", flush=True)
while True:
    select.select([base], [], [])
    base.poll()
    for n in (n.payload for n in base.notifies):
        cursor.execute("update job set done = clock_timestamp() where id = %s", (n,))
        print("job", n, flush=True)
    base.notifies.clear()
"""
PRODUCER = """
while :; do
    echo "begin; insert into job default values; select pg_notify('parcels', lastval()::text); commit;"
    sleep 0.5
done
"""


def play(s):
    if not importlib.util.find_spec("psycopg2"):
        raise Missing("needs the package python3-psycopg2")
    base = Postgres(s)
    base.query("create table job (id serial primary key, sent timestamptz default clock_timestamp(), done timestamptz)")
    with open(s.path("worker.py"), "w", encoding="ascii") as f:
        f.write(WORKER)
    # No task sends to the channel "letters".
    for name, channel in ("worker", "parcels"), ("bystander", "letters"):
        s.start(name, [sys.executable, s.path("worker.py"), base.where, channel])
        s.wait("%s listens" % name, lambda name=name: "listens" in s.output(name))
        base.backend(name + "_backend", channel)
    s.start("monitor", base.client(), talk=True)

    s.begin()
    s.start("producer", ["sh", "-c", "{ %s } | psql -X -q -A -t -h '%s' -U postgres -d postgres" % (PRODUCER, base.where)])

    def done():
        return s.output("worker").count("job ")

    s.wait("the first jobs come", lambda: done() > 1)
    s.during("every job is done at once", lambda: s.ask(
        "monitor", "select count(*) from job where coalesce(done, clock_timestamp()) - sent > '0.3 s';") == "0")
    s.during("jobs were done", lambda: done() > 1)
    s.during("the other worker has no job", lambda: "job" not in s.output("bystander"))
    s.normal(victim="worker", causes=["timer"])
    yield
    n = done()
    s.went_on("more jobs are done", lambda: done() > n)
    s.check("the jobs came in time", n >= s.seconds)
