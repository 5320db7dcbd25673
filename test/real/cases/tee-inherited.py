# SPDX-License-Identifier: GPL-2.0-or-later
"""tee waits for the end of make's output. make has ended, but a redis-server that make started has the same pipe open."""
import glob
import os

from scene import proc

HELD_OUT = False
NEEDS = {"make": "make", "tee": "coreutils", "redis-server": "redis-server", "redis-cli": "redis-tools"}
MAKEFILE = """check:
\tredis-server --bind 127.0.0.1 --port %s --save "" &
\tuntil redis-cli -p %s PING >/dev/null 2>&1; do sleep 0.1; done
\t@echo the checks are fine
"""


def play(s):
    port, other = s.port(), s.port()
    with open(s.path("Makefile"), "w", encoding="ascii") as f:
        f.write(MAKEFILE % (port, port))
    s.start("bystander", ["redis-server", "--bind", "127.0.0.1", "--port", other, "--save", "", "--dir", s.where])
    s.wait("the other redis-server answers", lambda: s.connects(other))

    s.begin()
    job = s.start("job", ["sh", "-c", "make check 2>&1 | tee log; echo all ended"])
    s.wait("tee runs", lambda: s.child("job", "tee"))
    s.role("tee", s.child("job", "tee"))
    s.wait("make ends", lambda: "the checks are fine" in s.output("job") and s.child("job", "make") is None)
    s.role("redis", next(pid for pid in s.living() if proc(pid, "comm") == "redis-server\n" and pid != s.pid("bystander")))

    def writers():
        pipe = os.readlink("/proc/%d/fd/0" % s.pid("tee"))
        return {pid for pid in s.living() if pid != s.pid("tee") and
                pipe in [os.readlink(f) for f in glob.glob("/proc/%d/fd/*" % pid)]}

    s.during("tee reads the pipe", lambda: s.syscall("tee") == "read" and "pipe" in s.wchan("tee"))
    s.during("only redis-server has the pipe open", lambda: writers() == {s.pid("redis")})
    s.during("make has ended, and the job has not", lambda: s.child("job", "make") is None and job.poll() is None and
             "all ended" not in s.output("job"))
    s.during("redis-server answers", lambda: s.out(["redis-cli", "-p", port, "PING"]) == "PONG")
    # redis-server only waits for clients, so any of these causes is right.
    s.hang(victim="tee", culprits=["redis"], causes=["slow-peer", "external", "timer", "missing-wakeup", "polling"],
           stuck=["job"], wrong=["bystander", "test"])
    yield
    s.out(["redis-cli", "-p", port, "SHUTDOWN", "NOSAVE"])
    s.ended("job")
    s.check("the log is whole", "all ended" in s.output("job"))
