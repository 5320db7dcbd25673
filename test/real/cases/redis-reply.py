# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli BLPOP waits for the result of a job. The worker that took the job waits for a sha256sum that computes."""
import os
import signal

from scene import proc

HELD_OUT = True
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "bash": "bash", "sha256sum": "coreutils"}

WORKER = """
while :; do
    job=$(redis-cli -p $1 BLPOP jobs:$2 0 | tail -n 1)
    [ -n "$job" ] || exit
    sum=$(sha256sum "$job")
    redis-cli -p $1 RPUSH results:$2 "${sum%% *}" >/dev/null
done
"""


def play(s):
    port = s.port()
    s.start("redis", ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.where])
    s.wait("redis-server answers", lambda: s.connects(port))
    with open(s.path("worker"), "w", encoding="ascii") as f:
        f.write(WORKER)
    with open(s.path("letter"), "w", encoding="ascii") as f:
        f.write("hello\n")
    for name in "photos", "papers":
        s.start(name, ["bash", "worker", port, name])

    def do(name, job):
        """The command that gives a worker a job, and waits for the result."""
        return ["sh", "-c", 'redis-cli -p %s RPUSH jobs:%s %s >/dev/null && exec redis-cli -p %s BLPOP results:%s 0' %
                (port, name, job, port, name)]

    for name in "photos", "papers", "photos":
        s.check("the worker works", s.out(do(name, "letter")).split()[-1].startswith("5891b5b522d5df08"))
    s.wait("the workers are idle", lambda: s.child("papers", "bash"))
    s.role("idle", s.child("papers", "bash"))

    s.begin()
    victim = s.start("victim", do("photos", "/dev/zero"))

    def sums():
        subshell = s.child("photos", "bash")
        return s.child("photos", "sha256sum") or subshell and s.role("subshell", subshell) and s.child("subshell", "sha256sum")

    s.wait("sha256sum computes", sums)
    s.role("sum", sums())
    s.during("sha256sum computes", lambda: s.uses_cpu("sum", 0.15))
    s.wait("redis-cli waits", lambda: proc(victim.pid, "comm") == "redis-cli\n" and
           s.syscall("victim") in ("read", "recvfrom", "poll"))
    s.during("redis-cli waits for a result", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.output("victim") == "")
    s.during("redis-server answers, and has no result",
             lambda: s.out(["redis-cli", "-p", port, "EXISTS", "results:photos"]) == "0")
    s.hang(victim="victim", culprits=["sum"], causes=["busy"],
           vague=["photos", "redis", *(["subshell"] if "subshell" in s.roles else [])], wrong=["papers", "idle", "test"])
    yield
    os.kill(s.pid("sum"), signal.SIGTERM)
    s.ended("victim")
    s.check("a result came", "results:photos" in s.output("victim"))
