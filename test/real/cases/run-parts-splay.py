# SPDX-License-Identifier: GPL-2.0-or-later
"""The daily cron jobs wait: run-parts runs one script after the other, and waits for the first one. This script sleeps for a random
time before its work, so that not all servers ask the mirror at once."""
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"run-parts": "debianutils", "sh": "dash", "sleep": "coreutils", "sha256sum": "coreutils"}


def play(s):
    s.out(["mkdir", "daily", "weekly"])
    for where, name, text in ("daily", "apt-update", "sleep 1742\necho updated"), ("daily", "backup", "echo saved"), \
            ("weekly", "scrub", "exec sha256sum /dev/zero"):
        with open(s.path("%s/%s" % (where, name)), "w", encoding="ascii") as f:
            f.write("#!/bin/sh\n%s\n" % text)
        s.out(["chmod", "755", "%s/%s" % (where, name)])
    s.start("weekly", ["run-parts", "weekly"])
    s.wait("the weekly job computes", lambda: s.child("weekly", "sha256sum"))
    s.role("scrub", s.child("weekly", "sha256sum"))

    s.begin()
    victim = s.start("victim", ["run-parts", "daily"])
    s.wait("the first job sleeps", lambda: s.child("victim") and any(
        proc(p, "comm") == "sleep\n" for p in descendants(s.pid("victim"))))
    s.role("job", s.child("victim"))
    s.role("sleep", s.child("job", "sleep"))
    s.during("the first job sleeps", lambda: s.child("victim") == s.pid("job") and s.child("job") == s.pid("sleep") and
             s.syscall("sleep") in ("nanosleep", "clock_nanosleep") and "apt-update" in proc(s.pid("job"), "cmdline"))
    s.during("the second job has not begun", lambda: victim.poll() is None and "saved" not in s.output("victim"))
    s.during("the weekly job computes", lambda: s.uses_cpu("scrub", 0.1))
    s.hang(victim="victim", culprits=["sleep", "job"], causes=["timer"], wrong=["weekly", "scrub", "test"])
    yield
    os.kill(s.pid("sleep"), 15)
    s.ended("victim")
    s.check("both jobs ran", s.output("victim").split()[-2:] == ["updated", "saved"])
