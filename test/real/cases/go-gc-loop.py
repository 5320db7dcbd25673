# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Go server: the garbage collector has stopped all threads of the server but one. This one is in a tight
loop that the Go runtime may not interrupt (asyncpreemptoff)."""
import os
import subprocess

HELD_OUT = False
NEEDS = {"go": "golang-go", "curl": "curl"}
SHOP = """
package main

import (
    "fmt"
    "net/http"
    "os"
    "sync/atomic"
    "syscall"
    "unsafe"
)

var keep [][]byte

func main() {
    f, err := os.OpenFile("enough", os.O_RDWR, 0)
    if err != nil {
        os.Exit(3)
    }
    page, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ, syscall.MAP_SHARED)
    if err != nil {
        os.Exit(4)
    }
    enough := (*int32)(unsafe.Pointer(&page[0]))
    http.HandleFunc("/hours", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "open") })
    http.HandleFunc("/stock", func(w http.ResponseWriter, r *http.Request) {
        for i := 0; i < 64; i++ {
            keep = append(keep, make([]byte, 1<<20))
        }
        fmt.Fprint(w, len(keep), " parts")
    })
    http.HandleFunc("/prime", func(w http.ResponseWriter, r *http.Request) {
        x := uint32(1)
        for atomic.LoadInt32(enough) == 0 {
            x = x*7919 + 17
        }
        fmt.Fprint(w, "prime ", x|1 == x)
    })
    http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
"""


def play(s):
    port = s.port()
    for name, text in ("shop.go", SHOP), ("enough", "\0" * 4096):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["env", "HOME=" + s.where, "GOCACHE=" + s.path("gocache"), "GO111MODULE=off", "CGO_ENABLED=0",
           "go", "build", "-o", "shop", "shop.go"], timeout=400)
    s.start("server", [s.path("shop"), port], env={**os.environ, "GODEBUG": "asyncpreemptoff=1", "GOMAXPROCS": "4"})
    s.wait("the server listens", lambda: s.connects(port))

    def get(page, *options):
        return ["curl", "-sS", *options, "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("the page comes", s.out(get("hours")) == "open")
    other = s.start("other", get("prime"))

    def used():
        """The CPU time of each thread."""
        times = {}
        for tid in s.threads("server"):
            s.role("look", s.pid("server"), tid)
            times[tid] = s.cpu_s("look")
        del s.roles["look"]
        return times

    first, found = used(), []

    def hot():
        found[:] = [tid for tid, cpu_s in used().items() if cpu_s - first.get(tid, 0) > 0.3]
        return len(found) == 1

    s.wait("one thread computes", hot)
    s.role("loop", s.pid("server"), found[0])
    s.check("the server still answers others", s.out(get("hours")) == "open")

    s.begin()
    victim = s.start("victim", get("stock"))

    def silent():
        return subprocess.run(get("hours", "-m", "0.5"), capture_output=True, check=False).returncode == 28

    s.wait("the server answers nobody", silent)
    s.during("the thread computes", lambda: s.state("loop") == "R" and s.uses_cpu("loop", 0.02, 1))
    s.during("the server answers nobody", silent)
    s.during("both curls wait", lambda: victim.poll() is other.poll() is None and s.state("victim") == "S"
             and s.output("victim") == s.output("other") == "")
    s.hang(victim="victim", culprits=["loop"], causes=["busy"], vague=["server"], wrong=["other", "test"])
    yield
    with open(s.path("enough"), "r+b") as f:
        f.write(b"\1")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "64 parts")
    s.ended("other")
