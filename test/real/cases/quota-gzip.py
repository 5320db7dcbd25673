# SPDX-License-Identifier: GPL-2.0-or-later
"""tar waits for its compressor, gzip. The CPU quota of gzip's control group lets gzip run for 2 % of the time."""
import os
import random

from scene import proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"tar": "tar", "gzip": "gzip"}


def play(s):
    group, old = s.control_group("cpu", "quota-gzip")
    words = random.Random(1).choices([b"parcel", b"letter", b"stamp", b"desk", b"clerk", b"counter"], k=4000000)
    os.mkdir(s.path("papers"))
    with open(s.path("papers/words"), "wb") as f:
        f.write(b" ".join(words))
    with open(s.path("pack"), "w", encoding="ascii") as f:
        f.write('#!/bin/sh\necho $$ >%s/cgroup.procs && exec gzip "$@"\n' % group)
    os.chmod(s.path("pack"), 0o755)

    set_quota(group, old, 2000)
    s.begin()
    victim = s.start("victim", ["tar", "-I", s.path("pack"), "-cf", "papers.tar.gz", "papers"])

    def gzip():
        return next((pid for pid in s.living() if proc(pid, "comm") == "gzip\n"), None)

    s.wait("gzip runs", gzip)
    s.role("gzip", gzip())
    seen = [0]

    def still_throttled():
        before, seen[0] = seen[0], throttled(group)
        return seen[0] > before

    s.wait("gzip is throttled", lambda: throttled(group) > 3)
    s.wait("tar waits for gzip", lambda: s.syscall("victim") == "write")
    s.during("the group was throttled again", still_throttled)
    s.during("gzip wants to run", lambda: s.state("gzip") == "R" and not s.uses_cpu("gzip", 0.2))
    s.during("tar waits in a write to gzip's pipe", lambda: victim.poll() is None and s.syscall("victim") == "write" and
             not s.uses_cpu("victim", 0.1))
    s.hang(victim="victim", culprits=["gzip"], causes=["starved"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.check("the archive is whole", s.out(["tar", "-tzf", "papers.tar.gz"]).split() == ["papers/", "papers/words"])
