# SPDX-License-Identifier: GPL-2.0-or-later
"""A cron job waits in flock(1) for the lock of an earlier job. The earlier job and its flock(1) have ended. But the earlier
job has started a daemon, httpd of busybox, which has inherited the file of the lock."""
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"busybox": "busybox", "flock": "util-linux", "run-parts": "debianutils"}


def play(s):
    lock = s.path("jobs.lock")
    port, other = s.port(), s.port()
    for where in "pub", "daily":
        os.mkdir(s.path(where))
    for name, text in ("daily/rotate", "flock %s echo rotated" % lock), \
            ("deploy", "busybox httpd -f -h pub -p 127.0.0.1:%s & echo deployed" % port):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write("#!/bin/sh\n%s\n" % text)
        os.chmod(s.path(name), 0o755)
    s.check("the job works", s.out(["run-parts", "--report", s.path("daily")]).split()[-1] == "rotated")
    s.start("bystander", ["busybox", "httpd", "-f", "-h", s.path("pub"), "-p", "127.0.0.1:" + other])
    s.wait("the other daemon listens", lambda: s.connects(other))
    deploy = s.start("deploy", ["flock", lock, s.path("deploy")])
    s.wait("the first job and its flock end", lambda: deploy.poll() == 0)

    def daemons():
        return [p for p in s.living() if "httpd\0" in proc(p, "cmdline") and p != s.pid("bystander")]

    s.wait("the daemon listens", lambda: s.connects(port) and daemons())
    s.role("daemon", daemons()[0])

    def has_lock_file(role):
        fds = "/proc/%d/fd" % s.pid(role)
        return lock in [os.readlink(os.path.join(fds, fd)) for fd in os.listdir(fds)]

    s.begin()
    victim = s.start("victim", ["run-parts", s.path("daily")])
    s.wait("a flock waits", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("waiter", s.locks(lock)["waiters"][0])
    s.during("flock, of the victim, waits for the lock", lambda: s.locks(lock)["waiters"] == [s.pid("waiter")] and
             s.syscall("waiter") == "flock" and s.pid("waiter") in descendants(victim.pid))
    s.during("the process that took the lock is gone", lambda: not os.path.exists("/proc/%d" % s.locks(lock)["owners"][0]))
    s.during("the daemon has the file of the lock, and the other daemon does not", lambda: has_lock_file("daemon") and
             not has_lock_file("bystander"))
    s.during("the daemon waits for clients", lambda: s.state("daemon") == "S" and proc(s.pid("daemon"), "comm") == "busybox\n")
    s.during("the victim waits", lambda: victim.poll() is None)
    s.hang(victim="victim", culprits=["daemon"], causes=["lock-holder", "timer", "external"], stuck=["waiter"],
           wrong=["bystander", "test"])
    yield
    os.kill(s.pid("daemon"), 15)
    s.ended("victim")
    s.check("the job is done", "rotated" in s.output("victim"))
