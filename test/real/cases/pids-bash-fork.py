# SPDX-License-Identifier: GPL-2.0-or-later
"""A deploy script waits for bash. bash cannot fork, because its control group has as many processes as it may have (pids).
So bash sleeps, and tries to fork again."""
import os

from lib import in_cgroup
from scene import proc

HELD_OUT = False
NEEDS = {"bash": "bash", "sleep": "coreutils", "dash": "dash"}
SECONDS = 4  # bash tries again after 1, 2, 4 and 8 s


def play(s):
    group, _ = s.control_group("pids", "pids-bash")
    limit = os.path.join(group, "pids.max")
    with open(s.path("migrate"), "w", encoding="ascii") as f:
        f.write("echo begins; read go <go; /bin/echo migrated; :\n")
    os.mkfifo(s.path("go"))
    for i in range(6):
        s.start("filler%d" % i, in_cgroup(group, ["sleep", "3600"]))
        s.wait("it is in the group", lambda i=i: "/ctrace-test-pids-bash\n" in proc(s.pid("filler%d" % i), "cgroup"))
    # The limit is for bash, not for dash, so that bash is the program that cannot fork.
    s.start("victim", ["dash", "-c", "bash -c 'echo $$ >%s/cgroup.procs; exec bash migrate'; echo deployed" % group])
    s.wait("bash has begun", lambda: "begins" in s.output("victim") and s.child("victim", "bash"))
    s.role("bash", s.child("victim", "bash"))

    def number(name):
        with open(os.path.join(group, name), encoding="ascii") as f:
            return int(f.read())

    with open(limit, "w", encoding="ascii") as f:
        f.write(str(number("pids.current")))

    s.begin()
    with open(s.path("go"), "w", encoding="ascii") as f:
        f.write("go\n")
    s.wait("bash cannot fork", lambda: "Resource temporarily unavailable" in s.output("victim"))
    s.during("the group is full", lambda: number("pids.current") == number("pids.max"))
    s.during("bash sleeps", lambda: s.state("bash") == "S" and not s.child("bash") and "migrated" not in s.output("victim"))
    s.during("the victim waits for bash", lambda: s.child("victim") == s.pid("bash") and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["bash"], causes=["timer", "polling"], vague=["filler%d" % i for i in range(6)],
           wrong=["test"])
    yield
    with open(limit, "w", encoding="ascii") as f:
        f.write("max")
    s.ended("victim")
    s.check("the work is done", "migrated" in s.output("victim") and "deployed" in s.output("victim"))
