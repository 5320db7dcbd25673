# SPDX-License-Identifier: GPL-2.0-or-later
"""sha256sum waits for the output of sort. The CPU quota of sort's control group lets sort run for 2 % of the time."""
import os
import re

from lib import in_cgroup
from scene import set_quota, throttled

HELD_OUT = False
NEEDS = {"sort": "coreutils", "sha256sum": "coreutils"}


def play(s):
    group, old = s.control_group("cpu", "quota-sort")
    with open(s.path("words"), "w", encoding="ascii") as f:
        for i in range(1500000):
            f.write("%d\n" % (i * 7919 % 1000003))
    s.out(["mkfifo", "pipe"])

    set_quota(group, old, 2000)
    s.begin()
    victim = s.start("victim", ["sh", "-c", "exec sha256sum <pipe"])
    s.start("sort", in_cgroup(group, ["sh", "-c", "exec sort --parallel=1 -S 100M words >pipe"]),
            env={**os.environ, "LC_ALL": "C"})
    s.wait("sort runs", lambda: os.readlink("/proc/%d/exe" % s.pid("sort")).endswith("/sort"))
    seen = [0]

    def still_throttled():
        before, seen[0] = seen[0], throttled(group)
        return seen[0] > before

    s.wait("sort is throttled", lambda: throttled(group) > 3)
    s.during("the group was throttled again", still_throttled)
    s.during("sort is in the group, and wants to run", lambda: s.state("sort") == "R" and not s.uses_cpu("sort", 0.2))
    s.during("sha256sum waits for the pipe", lambda: victim.poll() is None and s.syscall("victim") == "read")
    s.hang(victim="victim", culprits=["sort"], causes=["starved"])
    yield
    set_quota(group, old, -1)
    s.ended("sort")
    s.ended("victim")
    s.check("there is a checksum", re.match(r"[0-9a-f]{64} ", s.output("victim")))
