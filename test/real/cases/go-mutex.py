# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Go server, whose handler waits for a mutex. The owner waits for a redis-server that SIGSTOP has stopped."""
import os
import signal

HELD_OUT = False
NEEDS = {"go": "golang-go", "redis-server": "redis-server", "redis-cli": "redis-tools", "curl": "curl"}

STOCK = """
package main

import (
    "bufio"
    "fmt"
    "net"
    "net/http"
    _ "net/http/pprof"
    "os"
    "sync"
    "time"
)

var mu sync.Mutex
var stock string

func refresh(c net.Conn, in *bufio.Reader) {
    mu.Lock()
    defer mu.Unlock()
    fmt.Fprintf(c, "GET stock\\r\\n")
    in.ReadString('\\n')
    stock, _ = in.ReadString('\\n')
}

func refresher(c net.Conn) {
    for in := bufio.NewReader(c); ; time.Sleep(100 * time.Millisecond) {
        refresh(c, in)
    }
}

func main() {
    c, err := net.Dial("tcp", "127.0.0.1:"+os.Args[2])
    if err != nil {
        os.Exit(3)
    }
    go refresher(c)
    http.HandleFunc("/stock", func(w http.ResponseWriter, r *http.Request) {
        mu.Lock()
        defer mu.Unlock()
        fmt.Fprint(w, stock)
    })
    http.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
    http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
"""


def play(s):
    port, redis = s.port(), s.port()
    with open(s.path("stock.go"), "w", encoding="utf-8") as f:
        f.write(STOCK)
    s.out(["env", "HOME=" + s.where, "GOCACHE=" + s.path("gocache"), "GO111MODULE=off", "CGO_ENABLED=0", "go", "build",
           "-o", "stock", "stock.go"], timeout=180)
    s.start("redis", ["redis-server", "--bind", "127.0.0.1", "--port", redis, "--save", "", "--dir", s.where])
    s.wait("redis-server answers", lambda: s.connects(redis))
    s.out(["redis-cli", "-p", redis, "SET", "stock", "17"])
    s.start("server", [s.path("stock"), port, redis])
    s.wait("the server answers", lambda: s.connects(port))

    def get(what):
        return s.out(["curl", "-s", "-m", "3", "http://127.0.0.1:%s/%s" % (port, what)])

    def goroutine(*functions):
        """Whether one goroutine is in all these functions."""
        return any(all(f in g for f in functions) for g in get("debug/pprof/goroutine?debug=2").split("\n\n"))

    s.wait("the server knows the stock", lambda: get("stock") == "17")

    s.begin()
    s.processes["redis"][0].send_signal(signal.SIGSTOP)
    s.wait("redis-server stops", lambda: s.state("redis") == "T")
    s.wait("the refresher waits for redis-server", lambda: goroutine("main.refresh(", "[IO wait", "ReadString"))
    victim = s.start("victim", ["curl", "-s", "http://127.0.0.1:%s/stock" % port])
    s.wait("the handler waits for the mutex", lambda: goroutine("main.main.func1", "sync.(*Mutex).Lock"))
    s.during("redis-server is stopped", lambda: s.state("redis") == "T")
    s.during("the owner of the mutex waits for redis-server", lambda: goroutine("main.refresh(", "[IO wait", "ReadString"))
    s.during("the handler waits for the mutex", lambda: goroutine("main.main.func1", "sync.(*Mutex).Lock"))
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("the server answers others", lambda: get("hello") == "hello")
    s.hang(victim="victim", culprits=["redis", "test"], causes=["stopped"], vague=["server"])
    yield
    os.kill(s.pid("redis"), signal.SIGCONT)
    s.ended("victim")
    s.check("curl has its answer", s.output("victim").strip() == "17")
