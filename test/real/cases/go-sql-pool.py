# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Go server, whose pool (database/sql) has one connection to PostgreSQL. Another request has this
connection. The PostgreSQL process of this connection computes a report."""
import os
import re

from scene import Missing, Postgres

HELD_OUT = False
NEEDS = {"go": "golang-go", "postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "curl": "curl"}
SHOP = """
package main

import (
    "database/sql"
    "fmt"
    "net/http"
    "os"

    _ "github.com/lib/pq"
)

const report = "select count(*) from stock a, stock b, stock c where a.n + b.n > c.n + 1"

func main() {
    db, err := sql.Open("postgres", "host="+os.Args[2]+" user=postgres dbname=postgres sslmode=disable application_name=shop")
    if err != nil {
        os.Exit(3)
    }
    db.SetMaxOpenConns(1)
    page := func(name, query string) {
        http.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) {
            var n int64
            if err := db.QueryRow(query).Scan(&n); err != nil {
                fmt.Fprint(w, "no ", name)
                return
            }
            fmt.Fprint(w, n)
        })
    }
    page("stock", "select count(*) from stock")
    page("report", report)
    http.HandleFunc("/pool", func(w http.ResponseWriter, r *http.Request) {
        fmt.Fprint(w, db.Stats().InUse, " used, waits ", db.Stats().WaitCount)
    })
    http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
"""


def play(s):
    if not os.path.exists("/usr/share/gocode/src/github.com/lib/pq/conn.go"):
        raise Missing("needs the package golang-github-lib-pq-dev")
    port = s.port()
    with open(s.path("shop.go"), "w", encoding="utf-8") as f:
        f.write(SHOP)
    s.out(["env", "HOME=" + s.where, "GOCACHE=" + s.path("gocache"), "GOPATH=/usr/share/gocode", "GO111MODULE=off",
           "CGO_ENABLED=0", "go", "build", "-o", "shop", "shop.go"], timeout=400)
    base = Postgres(s, "max_parallel_workers_per_gather=0", "jit=off")
    base.query("create table stock (id int primary key, n int)")
    base.query("insert into stock select i, i % 10 from generate_series(1, 3000) i")
    base.query("analyze stock")
    s.start("server", [s.path("shop"), port, base.where])
    s.wait("the server listens", lambda: s.connects(port), 30)

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("the page comes", s.out(get("stock")) == "3000")
    base.backend("backend", "shop")
    s.start("idler", base.client(), talk=True)
    s.check("an idle client is there", s.ask("idler", "select 6 * 7;") == "42")

    def pool():
        return s.out(get("pool"), timeout=8)

    s.begin()
    s.start("other", get("report"))
    s.wait("PostgreSQL computes the report", lambda: s.state("backend") == "R" and pool().startswith("1 used"))
    before = int(re.search(r"waits (\d+)", pool()).group(1))
    victim = s.start("victim", get("stock"))
    s.wait("a request waits for the pool", lambda: int(re.search(r"waits (\d+)", pool()).group(1)) == before + 1)
    s.during("the connection is used, and a request waits for it", lambda: pool() == "1 used, waits %d" % (before + 1))
    s.during("PostgreSQL computes the report", lambda: s.state("backend") == "R" and base.query(
        "select state from pg_stat_activity where pid = %d" % s.pid("backend")) == "active")
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.hang(victim="victim", culprits=["backend"], causes=["busy"], vague=["server"],
           wrong=["other", "idler", "postgres", "test"])
    yield
    s.check("the report was cancelled", base.query("select pg_cancel_backend(%d)" % s.pid("backend")) == "t")
    s.ended("victim")
    s.check("curl has its page", s.output("victim") == "3000")
    s.ended("other")
