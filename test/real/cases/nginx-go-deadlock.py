# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for nginx, and nginx for a Go server. Two goroutines of this server wait for each other: each has the mutex of one
account, and wants the mutex of the other. The goroutine of curl's request waits for one of these mutexes."""
HELD_OUT = False
NEEDS = {"go": "golang-go", "nginx": "nginx", "curl": "curl"}
BANK = """
package main

import (
    "fmt"
    "net/http"
    _ "net/http/pprof"
    "os"
    "sync"
    "time"
)

type account struct {
    sync.Mutex
    cents int
}

var a, b = &account{cents: 1700}, &account{cents: 4200}

func transfer(from, to *account, pause time.Duration) {
    from.Lock()
    defer from.Unlock()
    time.Sleep(pause)
    to.Lock()
    defer to.Unlock()
    from.cents -= 100
    to.cents += 100
}

func main() {
    page := func(path string, f func() int) {
        http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, f()) })
    }
    page("/hello", func() int { return 42 })
    page("/pay", func() int { transfer(a, b, 0); return 1 })
    page("/pay-slowly", func() int { transfer(a, b, time.Second); return 1 })
    page("/refund", func() int { transfer(b, a, time.Second); return 1 })
    page("/balance", func() int {
        a.Lock()
        defer a.Unlock()
        return a.cents
    })
    http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
"""
NGINX = """worker_processes 1; daemon off; pid %(where)s/pid; user root; events {}
http { access_log off; %(temp)s
server { listen 127.0.0.1:%(front)s; location / { proxy_pass http://127.0.0.1:%(back)s; } } }
"""


def play(s):
    front, back = s.port(), s.port()
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    words = {"where": s.where, "temp": temp, "front": front, "back": back}
    for name, text in ("bank.go", BANK), ("nginx.conf", NGINX % words):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["env", "HOME=" + s.where, "GOCACHE=" + s.path("gocache"), "GO111MODULE=off", "go", "build", "-o", "bank", "bank.go"],
          timeout=180)
    s.start("server", [s.path("bank"), back])
    s.wait("the server listens", lambda: s.connects(back))
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(front))
    s.role("web", s.child("nginx"))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (front, page)]

    def goroutines():
        return s.out(["curl", "-sS", "-m", "5", "http://127.0.0.1:%s/debug/pprof/goroutine?debug=2" % back]).split("\n\n")

    def waiting(function, *more):
        """How many goroutines are in this function, and wait for a mutex."""
        return sum(all(f in g for f in (function, "sync.(*Mutex).Lock", *more)) for g in goroutines())

    s.check("all is well", [s.out(get(x)) for x in ("hello", "pay", "balance")] == ["42", "1", "1600"])

    s.begin()
    for name in "pay-slowly", "refund":
        s.start(name, get(name))
    s.wait("both transfers wait", lambda: waiting("main.transfer(") == 2)
    victim = s.start("victim", get("balance"))
    s.wait("the victim's goroutine waits", lambda: waiting("main.main.func") == 3)
    s.during("two transfers and the balance wait for a mutex", lambda: (waiting("main.transfer("), waiting("main.main.func")) ==
             (2, 3))
    s.during("the server answers others", lambda: s.out(get("hello"), timeout=5) == "42")
    s.during("nobody computes", lambda: not s.uses_cpu("server", 0.3, 0.2) and s.state("web") == "S")
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.hang(victim="victim", culprits=["server"],
           causes=["circular-wait", "lock-holder", "missing-wakeup", "slow-peer", "external"], stuck=["web"],
           wrong=["nginx", "pay-slowly", "refund", "test"])
    yield
    s.processes["server"][0].kill()  # a deadlock does not end by itself
    s.ended("victim")
    s.check("nginx has no page", "502 Bad Gateway" in s.output("victim"))
