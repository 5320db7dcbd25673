# SPDX-License-Identifier: GPL-2.0-or-later
"""A script waits for `timeout`, which runs sqlite3. SIGTTIN has stopped sqlite3, which reads from the background."""
import os
import signal

HELD_OUT = True
NEEDS = {"script": "bsdutils", "timeout": "coreutils", "sqlite3": "sqlite3"}
JOB = """#!/bin/sh
timeout 600 sqlite3 shop.db
echo all ended
"""


def play(s):
    with open(s.path("job"), "w", encoding="ascii") as f:
        f.write(JOB)
    env = {**os.environ, "TERM": "dumb", "HOME": s.where}
    s.start("bystander", ["script", "-qefc", "exec sqlite3 other.db", "/dev/null"], talk=True, env=env)
    s.wait("the other sqlite3 is there", lambda: s.child("bystander", "sqlite3"))
    s.role("bystander_sqlite3", s.child("bystander", "sqlite3"))

    s.begin()
    s.start("terminal", ["script", "-qefc", "exec sh job", "/dev/null"], talk=True, env=env)
    s.wait("the script runs", lambda: s.child("terminal", "sh"))
    victim = s.role("victim", s.child("terminal", "sh"))
    s.wait("timeout runs", lambda: s.child("victim", "timeout"))
    s.role("timeout", s.child("victim", "timeout"))
    s.wait("sqlite3 runs", lambda: s.child("timeout", "sqlite3"))
    s.role("sqlite3", s.child("timeout", "sqlite3"))
    s.wait("sqlite3 stops", lambda: s.state("sqlite3") == "T")
    s.during("sqlite3 is stopped", lambda: s.state("sqlite3") == "T")
    s.during("timeout waits", lambda: s.state("timeout") == "S")
    s.during("the script waits for timeout", lambda: s.syscall("victim") == "wait4" and s.child("victim") == s.pid("timeout"))
    s.during("the other sqlite3 waits for its user", lambda: s.state("bystander_sqlite3") == "S")
    s.hang(victim="victim", culprits=["sqlite3"], causes=["stopped"], vague=["timeout"],
           wrong=["terminal", "bystander", "bystander_sqlite3"])
    yield
    for sig in signal.SIGTERM, signal.SIGCONT:
        os.kill(s.pid("sqlite3"), sig)
    s.ended("terminal")
    s.check("the script went on", "all ended" in s.output("terminal") and not os.path.exists("/proc/%d" % victim))
