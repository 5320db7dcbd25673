# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a thread of gunicorn, which waits for the only connection of SQLAlchemy's pool. Another thread has this
connection, and waits inside of its transaction for the answer of a partner's web service. This service, in node, is late: a
timer of node delays the answer."""
import os
import signal
import subprocess

from scene import Missing, Postgres

HELD_OUT = False
NEEDS = {"gunicorn": "gunicorn", "node": "nodejs", "postgres": "postgresql", "initdb": "postgresql",
         "psql": "postgresql-client", "curl": "curl"}
PYTHON = "/usr/bin/python3"
APP = """
import threading, urllib.request
import sqlalchemy
base = sqlalchemy.create_engine("postgresql+psycopg2://postgres@/postgres?host=%(base)s&application_name=shop",
                                pool_size=1, max_overflow=0, pool_timeout=100)
def note(what):
    with open(what, "w") as f:
        f.write(str(threading.get_native_id()))
def order():
    with base.begin() as c:
        c.execute(sqlalchemy.text("update stock set n = n - 1"))
        note("order.tid")
        return urllib.request.urlopen("http://127.0.0.1:%(partner)s/book", timeout=100).read()
def stock():
    note("stock.tid")
    with base.connect() as c:
        return str(c.execute(sqlalchemy.text("select n from stock")).scalar()).encode()
def app(env, start):
    page = {"/order": order, "/stock": stock}.get(env["PATH_INFO"], lambda: b"hello")()
    start("200 OK", [("Content-Length", str(len(page)))])
    return [page]
"""
PARTNER = """
const http = require('http');
http.createServer((ask, answer) => {
    if (ask.url === '/book') {
        console.log('asked');
        const end = () => { console.log('answers'); clearTimeout(timer); answer.end('booked'); };
        const timer = setTimeout(end, 100000);
        process.once('SIGUSR2', end);
    } else
        answer.end('well');
}).listen(process.argv[2], '127.0.0.1');
"""


def play(s):
    if subprocess.run([PYTHON, "-c", "import sqlalchemy, psycopg2"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the packages python3-sqlalchemy and python3-psycopg2")
    base, port, partner = Postgres(s), s.port(), s.port()
    base.query("create table stock (n int)")
    base.query("insert into stock values (17)")
    for name, text in ("shop.py", APP % {"base": base.where, "partner": partner}), ("partner.js", PARTNER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("partner", ["node", s.path("partner.js"), partner])
    s.wait("the partner listens", lambda: s.connects(partner))
    s.start("gunicorn", [PYTHON, "/usr/bin/gunicorn", "-w", "1", "-k", "gthread", "--threads", "4", "-t", "100", "-b",
                         "127.0.0.1:" + port, "--worker-tmp-dir", s.where, "shop:app"])
    s.wait("gunicorn has its worker", lambda: s.connects(port) and s.child("gunicorn"), 20)
    s.role("worker", s.child("gunicorn"))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    def noted(page):
        with open(s.path(page + ".tid"), encoding="ascii") as f:
            return int(f.read())

    s.check("a page comes", s.out(get("stock"), timeout=20) == "17")
    base.backend("backend", "shop")
    s.start("idler", base.client(), talk=True)
    s.check("an idle client is there", s.ask("idler", "select 6 * 7;") == "42")

    s.begin()
    s.start("order", get("order"))
    s.wait("a thread asks the partner", lambda: "asked" in s.output("partner"))
    s.role("holder", s.pid("worker"), noted("order"))
    os.unlink(s.path("stock.tid"))
    victim = s.start("victim", get("stock"))
    s.wait("a thread makes the page", lambda: noted("stock") in s.threads("worker"))
    s.role("thread", s.pid("worker"), noted("stock"))
    s.during("the thread waits for the pool", lambda: s.state("thread") == "S" and s.syscall("thread") == "futex")
    s.during("the owner of the connection waits for the partner", lambda: s.state("holder") == "S" and
             s.syscall("holder") in ("recvfrom", "read", "poll", "ppoll"))
    s.during("the pool's only connection is idle in its transaction", lambda: base.query(
        "select count(*), min(state) from pg_stat_activity where application_name = 'shop'") == "1|idle in transaction")
    s.during("the partner is idle, and answers others", lambda: "answers" not in s.output("partner") and
             s.state("partner") == "S" and s.out(["curl", "-sS", "http://127.0.0.1:%s/" % partner], timeout=5) == "well")
    s.during("gunicorn answers others", lambda: s.out(get("hello"), timeout=5) == "hello")
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["partner"], causes=["timer", "slow-peer", "external"], vague=["holder", "worker"],
           stuck=["thread"], wrong=["backend", "postgres", "idler", "order", "gunicorn", "test"])
    yield
    s.processes["partner"][0].send_signal(signal.SIGUSR2)
    s.ended("victim")
    s.ended("order")
    s.check("both pages came", (s.output("victim"), s.output("order")) == ("16", "booked"))
