# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a runner of jobs in Go. The job's shell has ended, but the runner (exec.Cmd.Output) waits for the end of the
job's output: a web server that the job has started in the background has inherited the pipe."""
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"go": "golang-go", "python3": "python3", "curl": "curl", "sh": "dash"}
RUNNER = """
package main

import (
    "fmt"
    "net/http"
    "os"
    "os/exec"
)

func main() {
    http.HandleFunc("/run/", func(w http.ResponseWriter, r *http.Request) {
        out, err := exec.Command("sh", "job-"+r.URL.Path[len("/run/"):]).Output()
        fmt.Fprint(w, string(out), err)
    })
    http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}
"""
PREVIEW = """
python3 -m http.server --bind 127.0.0.1 -d pages %s %s &
echo "started $!"
"""


def play(s):
    port, web, other_web = s.port(), s.port(), s.port()
    os.mkdir(s.path("pages"))
    for name, text in ("runner.go", RUNNER), ("job-preview", PREVIEW % (web, "")), ("job-lint", "echo well\n"), \
            ("job-staging", PREVIEW % (other_web, ">staging.log 2>&1")), ("pages/index.html", "page"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["env", "HOME=" + s.where, "GOCACHE=" + s.path("gocache"), "GO111MODULE=off", "go", "build", "-o", "runner",
           "runner.go"], timeout=400)
    s.start("runner", [s.path("runner"), port])
    s.wait("the runner listens", lambda: s.connects(port))

    def run(job):
        return ["curl", "-sS", "http://127.0.0.1:%s/run/%s" % (port, job)]

    def page(of):
        return s.out(["curl", "-sS", "http://127.0.0.1:%s/" % of], timeout=8)

    def server(of):
        """The web server at this port. It is a child of the test, because its shell has ended."""
        return [pid for pid in descendants(os.getpid()) if "\0%s\0" % of in proc(pid, "cmdline") and
                "http.server" in proc(pid, "cmdline")][0]

    s.check("a short job ends", s.out(run("lint")) == "well\n<nil>")
    s.check("a job with a background server ends", s.out(run("staging")).startswith("started"))
    s.wait("this server listens", lambda: s.connects(other_web))
    s.check("it answers", page(other_web) == "page")
    s.role("other_web", server(other_web))

    s.begin()
    victim = s.start("victim", run("preview"))
    s.wait("the web server listens", lambda: s.connects(web))
    s.role("web", server(web))
    pipe = os.readlink("/proc/%d/fd/1" % s.pid("web"))

    def holders():
        """The processes that have the pipe."""
        found = set()
        for pid in descendants(os.getpid()):
            try:
                found |= {pid for fd in os.listdir("/proc/%d/fd" % pid) if os.readlink("/proc/%d/fd/%s" % (pid, fd)) == pipe}
            except OSError:  # this process has ended
                pass
        return found

    s.wait("the shell has ended", lambda: not s.child("runner"))
    s.during("the runner and the web server have the pipe", lambda: pipe.startswith("pipe:") and
             holders() == {s.pid("runner"), s.pid("web")})
    s.during("the shell of the job has ended", lambda: s.child("runner") is None)
    s.during("the web server waits for requests", lambda: s.state("web") == "S" and page(web) == "page")
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the runner answers others", lambda: s.out(run("lint"), timeout=8) == "well\n<nil>")
    s.hang(victim="victim", culprits=["web"], causes=["slow-peer", "external", "timer"], vague=["runner"],
           wrong=["other_web", "test"])
    yield
    os.kill(s.pid("web"), 15)
    s.ended("victim")
    s.check("the job is done", s.output("victim").startswith("started") and s.output("victim").endswith("<nil>"))
