# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of gearmand waits for its job. The worker's script waits for a file lock. The owner of the lock runs sleep."""
import os

HELD_OUT = False
NEEDS = {"gearmand": "gearman-job-server", "gearman": "gearman-tools", "flock": "util-linux"}


def play(s):
    port, lock = s.port(), s.path("thumbs.lock")
    with open(s.path("thumb"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nflock thumbs.lock echo thumb\necho made\n")
    os.chmod(s.path("thumb"), 0o755)
    s.start("gearmand", ["gearmand", "--listen", "127.0.0.1", "--port", port, "--log-file", s.path("log")], user="root")
    s.wait("gearmand listens", lambda: s.connects(port))
    tool = ["gearman", "-h", "127.0.0.1", "-p", port]
    s.start("worker", [*tool, "-w", "-f", "thumb", "--", s.path("thumb")])
    s.start("bystander", [*tool, "-w", "-f", "mail", "--", "cat"])
    s.check("the worker does a job", s.out([*tool, "-f", "thumb", "bolt"]).split() == ["thumb", "made"])
    s.check("the other worker does a job", s.out([*tool, "-f", "mail", "bolt"]) == "bolt")
    s.start("owner", ["flock", lock, "sleep", "60"])
    s.wait("the owner's command runs", lambda: s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))

    s.begin()
    victim = s.start("victim", [*tool, "-f", "thumb", "nut"])
    s.wait("the script waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("waiter", s.locks(lock)["waiters"][0])
    s.role("script", s.child("worker"))
    s.during("flock waits for the lock", lambda: s.locks(lock)["waiters"] == [s.pid("waiter")] and
             s.syscall("waiter") == "flock" and s.child("script") == s.pid("waiter"))
    s.during("the owner has the lock, and its command sleeps", lambda: s.locks(lock)["owners"] == [s.pid("owner")] and
             s.child("owner") == s.pid("sleeper"))
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("gearmand and the other worker do a job", lambda: s.out([*tool, "-f", "mail", "nut"], timeout=5) == "nut")
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"],
           vague=["worker", "script", "waiter", "gearmand"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("sleeper"), 15)
    s.ended("victim")
    s.check("the job is done", s.output("victim").split() == ["thumb", "made"])
