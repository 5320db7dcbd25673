# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a gevent worker. For another request, the worker waits for the lock
of a row of PostgreSQL. The lock's owner, psql, is idle."""
import os
import subprocess

from scene import Missing, Postgres

HELD_OUT = False
NEEDS = {"gunicorn": "gunicorn", "curl": "curl", "postgres": "postgresql", "initdb": "postgresql",
         "psql": "postgresql-client"}

# Without a wait callback, psycopg2 lets no other greenlet run while it waits.
APP = """import psycopg2
def app(env, start):
    if env["PATH_INFO"] == "/sell":
        base = psycopg2.connect("host=%s user=postgres dbname=postgres application_name=shop")
        base.cursor().execute("update stock set n = n - 2 where id = 5")
        base.commit()
        base.close()
    start("200 OK", [("Content-Length", "6")])
    return [b"hello\\n"]
"""


def play(s):
    if subprocess.run(["/usr/bin/python3", "-c", "import gevent, psycopg2"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the packages python3-gevent and python3-psycopg2")
    base, port = Postgres(s), s.port()
    base.query("create table stock (id int primary key, n int)")
    base.query("insert into stock select i, 10 from generate_series(1, 100) i")
    for name, row in ("bystander", 9), ("idler", 5):
        s.start(name, base.client(), talk=True, env={**os.environ, "PGAPPNAME": name})
        s.say(name, "begin; update stock set n = n - 1 where id = %d; select 'updated';" % row)
        base.backend(name + "_backend", name)
        s.wait("%s has its row" % name, lambda name=name: "updated" in s.output(name))
    with open(s.path("shop.py"), "w", encoding="ascii") as f:
        f.write(APP % base.where)
    s.start("gunicorn", ["gunicorn", "-k", "gevent", "-w", "1", "-t", "60", "-b", "127.0.0.1:" + port, "--worker-tmp-dir",
                         s.where, "shop:app"])
    s.wait("gunicorn listens", lambda: s.connects(port) and s.child("gunicorn"))
    s.role("worker", s.child("gunicorn"))

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("gunicorn answers", s.out(curl("hello")) == "hello")

    s.begin()
    s.start("seller", curl("sell"))
    backend = base.backend("backend", "shop")
    blockers = "select pg_blocking_pids(%d)" % backend
    s.wait("the lock blocks the UPDATE", lambda: base.query(blockers) == "{%d}" % s.pid("idler_backend"))
    victim = s.start("victim", curl("hello"))
    s.wait("curl waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("the idle client's backend blocks the UPDATE", lambda: base.query(blockers) == "{%d}" % s.pid("idler_backend"))
    s.during("the idle client is idle in its transaction", lambda: base.query(
        "select state from pg_stat_activity where pid = %d" % s.pid("idler_backend")) == "idle in transaction")
    s.during("the worker waits for PostgreSQL", lambda: s.syscall("worker") == "poll" and s.state("worker") == "S")
    s.during("curl waits", lambda: victim.poll() is None and s.output("victim") == "")
    # The worker serves both requests, and could have answered the small one.
    s.hang(victim="victim", culprits=["idler_backend", "idler", "test"], causes=["lock-holder", "external", "slow-peer"],
           vague=["worker"], stuck=["backend", "seller"], wrong=["gunicorn", "postgres", "bystander", "bystander_backend"])
    yield
    s.say("idler", "commit;")
    s.ended("seller")
    s.ended("victim")
    s.check("both updates are there", base.query("select n from stock where id = 5") == "7")
