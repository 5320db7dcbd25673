# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Go server, whose channel is full. The reader of the channel writes to a gzip that SIGSTOP has stopped."""
import os
import signal

HELD_OUT = True
NEEDS = {"go": "golang-go", "gzip": "gzip", "curl": "curl"}
BOXES, BOX = 40, 1 << 16

STORE = """
package main

import (
    "fmt"
    "io"
    "math/rand"
    "net/http"
    _ "net/http/pprof"
    "os"
    "os/exec"
)

var boxes = make(chan []byte, 4)

func pack(to io.Writer) {
    for box := range boxes {
        if _, err := to.Write(box); err != nil {
            os.Exit(3)
        }
    }
}

func store(w http.ResponseWriter, r *http.Request) {
    for i := 0; i < %d; i++ {
        box := make([]byte, %d)
        rand.Read(box)
        boxes <- box
    }
    fmt.Fprint(w, "stored")
}

func main() {
    gzip := exec.Command("gzip", "-1")
    to, err := gzip.StdinPipe()
    if err != nil || gzip.Start() != nil {
        os.Exit(3)
    }
    go pack(to)
    http.HandleFunc("/store", store)
    http.HandleFunc("/hello", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
    http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
""" % (BOXES, BOX)


def play(s):
    port = s.port()
    with open(s.path("store.go"), "w", encoding="utf-8") as f:
        f.write(STORE)
    s.out(["env", "HOME=" + s.where, "GOCACHE=" + s.path("gocache"), "GO111MODULE=off", "CGO_ENABLED=0", "go", "build",
           "-o", "store", "store.go"], timeout=180)
    s.start("server", [s.path("store"), port])
    s.wait("the server answers", lambda: s.connects(port))
    s.wait("gzip runs", lambda: s.child("server", "gzip"))
    s.role("gzip", s.child("server", "gzip"))
    s.start("bystander", ["sh", "-c", "exec gzip -1 </dev/zero | sleep 60"])

    def get(what):
        return s.out(["curl", "-s", "-m", "3", "http://127.0.0.1:%s/%s" % (port, what)])

    def goroutine(*functions):
        """Whether one goroutine is in all these functions."""
        return any(all(f in g for f in functions) for g in get("debug/pprof/goroutine?debug=2").split("\n\n"))

    s.check("gzip packs the first boxes", get("store") == "stored")
    s.wait("gzip waits for more", lambda: s.syscall("gzip") == "read")

    s.begin()
    os.kill(s.pid("gzip"), signal.SIGSTOP)
    s.wait("gzip stops", lambda: s.state("gzip") == "T")
    victim = s.start("victim", ["curl", "-s", "http://127.0.0.1:%s/store" % port])
    s.wait("the handler waits for a place in the channel", lambda: goroutine("main.store(", "[chan send"))
    s.during("gzip is stopped", lambda: s.state("gzip") == "T")
    s.during("the handler waits for a place in the channel", lambda: goroutine("main.store(", "[chan send"))
    s.during("the reader of the channel waits for the pipe to gzip", lambda: goroutine("main.pack(", "[IO wait", "Write"))
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("the server answers others", lambda: get("hello") == "hello")
    s.hang(victim="victim", culprits=["gzip", "test"], causes=["stopped"], vague=["server"], wrong=["bystander"])
    yield
    os.kill(s.pid("gzip"), signal.SIGCONT)
    s.ended("victim")
    s.check("curl has its answer", s.output("victim") == "stored")
