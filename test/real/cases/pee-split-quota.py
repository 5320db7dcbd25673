# SPDX-License-Identifier: GPL-2.0-or-later
"""tar feeds pee, which copies the archive to sha256sum and to split. split waits for its filter, a gzip. A CPU quota
of 1 % of gzip's control group slows it, so the pipes are full and tar waits."""
import os
import re

from lib import in_cgroup
from scene import descendants, proc, set_quota, throttled

HELD_OUT = True
NEEDS = {"pee": "moreutils", "split": "coreutils", "tar": "tar", "gzip": "gzip", "sha256sum": "coreutils"}
FILTER = """#!/bin/sh
exec %s
"""
JOB = """#!/bin/sh
pee 'sha256sum >sum' 'split -b 64M --filter=./filter - part.' <pipe
"""


def play(s):
    group, old = s.control_group("cpu", "pee-split-quota")
    os.mkdir(s.path("data"))
    with open(s.path("data/film"), "wb") as f:
        for _ in range(12):
            f.write(os.urandom(1 << 20))
    for name, text in ("job", JOB), ("filter", FILTER % " ".join(
            "'%s'" % x for x in in_cgroup(group, ["sh", "-c", 'exec gzip -6 >"$FILE.gz"']))):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
        os.chmod(s.path(name), 0o755)
    s.out(["mkfifo", "pipe"])
    set_quota(group, old, 1000)

    s.begin()
    victim = s.start("victim", ["sh", "-c", "exec tar -cf - data >pipe"])
    job = s.start("job", ["sh", s.path("job")])

    def below(comm):
        return next((p for p in descendants(job.pid) if proc(p, "comm") == comm + "\n"), None)

    s.wait("the filter runs", lambda: below("gzip") and below("pee") and below("split") and below("sha256sum"))
    for name in "gzip", "pee", "split", "sha256sum":
        s.role(name, below(name))
    s.wait("tar waits for the pipe", lambda: s.syscall("victim") == "write")
    seen = [0]

    def still_throttled():
        before, seen[0] = seen[0], throttled(group)
        return seen[0] > before

    s.wait("gzip is throttled", lambda: throttled(group) > 3)
    s.during("the group was throttled again", still_throttled)
    s.during("gzip wants to run, and gets little CPU", lambda: s.state("gzip") == "R" and not s.uses_cpu("gzip", 0.2))
    s.during("split waits for gzip", lambda: s.syscall("split") == "write" and below("gzip") == s.pid("gzip"))
    s.during("pee waits for split", lambda: s.syscall("pee") == "write")
    s.during("sha256sum has no work", lambda: s.syscall("sha256sum") == "read")
    s.during("tar waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.syscall("victim") == "write")
    s.hang(victim="victim", culprits=["gzip"], causes=["starved"], vague=["split", "pee"], wrong=["sha256sum", "test"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.ended("job")
    with open(s.path("sum"), encoding="ascii") as f:
        s.check("there is a checksum, and an archive", re.match(r"[0-9a-f]{64} ", f.read()) and
                os.path.getsize(s.path("part.aa.gz")) > 10 << 20)
