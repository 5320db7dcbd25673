# SPDX-License-Identifier: GPL-2.0-or-later
"""A psql changes a row, and calls a web service in the midst of its transaction. The service is a CGI script of
mini_httpd: its own psql wants to change the same row. So they wait for each other in a circle that PostgreSQL
cannot see."""
import os

from scene import Postgres, descendants, proc

HELD_OUT = False
NEEDS = {"mini_httpd": "mini-httpd", "postgres": "postgresql", "psql": "postgresql-client", "curl": "curl"}
ORDER = """begin;
update stock set pieces = pieces - 1 where name = 'tea';
\\! curl -sS http://127.0.0.1:%s/cgi-bin/book
commit;
select pieces from stock where name = 'tea';
"""
BOOK = """#!/bin/sh
export PGAPPNAME=service
if psql -X -q -h %s -U postgres -d postgres -c "update stock set booked = booked + 1 where name = 'tea'"; then
    printf 'Content-Type: text/plain\\r\\n\\r\\nbooked\\n'
else
    printf 'Content-Type: text/plain\\r\\n\\r\\nlater\\n'
fi
"""


def play(s):
    pg = Postgres(s)
    port = s.port()
    pg.query("create table stock (name text primary key, pieces int, booked int)")
    pg.query("insert into stock values ('tea', 18, 0), ('milk', 5, 0)")
    os.makedirs(s.path("www/cgi-bin"))
    for name, text in ("order.sql", ORDER % port), ("www/cgi-bin/book", BOOK % pg.where):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("www/cgi-bin/book"), 0o755)
    s.start("httpd", ["mini_httpd", "-D", "-h", "127.0.0.1", "-p", port, "-d", s.path("www"), "-c", "cgi-bin/*",
                      "-u", "daemon", "-i", s.path("httpd.pid"), "-l", "/dev/null"])
    s.wait("mini_httpd answers", lambda: s.connects(port))
    s.check("the service works", s.out(["curl", "-sS", "http://127.0.0.1:%s/cgi-bin/book" % port]) == "booked")
    s.wait("mini_httpd is idle", lambda: not descendants(s.pid("httpd")))

    def find(role, comm):
        return next(p for p in descendants(s.pid(role)) if proc(p, "comm").strip() == comm)

    s.begin()
    victim = s.start("victim", pg.client("-f", s.path("order.sql")), env={**os.environ, "PGAPPNAME": "order"})
    pg.backend("order_backend", "order")
    pg.backend("service_backend", "service")
    s.wait("the service's psql waits for the row", lambda: pg.query(
        "select pg_blocking_pids(%d)" % s.pid("service_backend")) == "{%d}" % s.pid("order_backend"))
    s.role("curl", find("victim", "curl"))
    s.role("service_psql", find("httpd", "psql"))
    s.role("script", find("httpd", "book"))
    s.role("shell", find("victim", "sh"))
    s.role("worker", find("httpd", "mini_httpd"))
    s.during("the service waits for the row of the order's transaction", lambda: pg.query(
        "select pg_blocking_pids(%d)" % s.pid("service_backend")) == "{%d}" % s.pid("order_backend"))
    s.during("the order's transaction waits for its psql", lambda: pg.query(
        "select state from pg_stat_activity where pid = %d" % s.pid("order_backend")) == "idle in transaction")
    s.during("this psql waits for curl", lambda: victim.poll() is None and s.syscall("victim") == "wait4" and
             s.pid("curl") in descendants(victim.pid))
    s.during("curl waits for mini_httpd, and mini_httpd for the output of its script", lambda:
             s.state("curl") == "S" and s.wchan("worker").endswith("pipe_read"))
    s.during("the script waits for its psql", lambda: s.state("script") == "S" and s.syscall("script") == "wait4" and
             s.pid("service_psql") in descendants(s.pid("script")))
    s.during("the server works for others", lambda: pg.query(
        "update stock set booked = 1 where name = 'milk' returning 17") == "17")
    ring = ["victim", "shell", "curl", "worker", "script", "service_psql", "service_backend", "order_backend"]
    s.hang(victim="victim", culprits=ring, causes=["circular-wait"], wrong=["postgres", "httpd"])
    yield
    pg.query("select pg_cancel_backend(%d)" % s.pid("service_backend"))
    s.ended("victim")
    s.check("the order is in the table, the booking is not", "17" in s.output("victim") and
            pg.query("select booked from stock where name = 'tea'") == "1")
