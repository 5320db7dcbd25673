# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a bc in a session of dtach waits for its user, who types a sum now and then, and has the answer at once."""
import os

from scene import proc

HELD_OUT = True
NEEDS = {"dtach": "dtach", "bc": "bc", "script": "bsdutils"}


def play(s):
    cmd = "exec dtach -c %s -E -r none bc -q" % s.path("session")
    s.start("terminal", ["script", "-q", "-c", cmd, "/dev/null"], talk=True,
            env={**os.environ, "SHELL": "/bin/sh", "TERM": "vt100"})
    s.wait("dtach runs", lambda: s.child("terminal", "dtach"))
    s.role("attached", s.child("terminal", "dtach"))
    s.wait("the session is there", lambda: os.path.exists(s.path("session")))

    def find(comm):
        """The session is not a child of the dtach that is attached."""
        pids = [x for x in s.living() if proc(x, "comm") == comm + "\n" and x != s.pid("attached")]
        return pids[0] if pids else None

    for role, comm in ("session", "dtach"), ("victim", "bc"):
        s.wait("%s is there" % comm, lambda comm=comm: find(comm))
        s.role(role, find(comm))
    n = [1000]

    def adds():
        """Types a sum, and waits for its answer."""
        n[0] += 1
        s.say("terminal", "7 * %d" % n[0])
        s.wait("bc has the answer", lambda: str(7 * n[0]) in s.output("terminal"), 3)
        return True

    s.wait("bc works", adds)
    s.begin()
    s.during("bc works", adds)
    s.during("bc waits for a line", lambda: s.state("victim") == "S" and s.syscall("victim") in ("read", "pselect6"))
    s.during("nobody computes", lambda: not s.uses_cpu("victim", 0.1) and not s.uses_cpu("session", 0.1))
    s.normal(victim="victim", causes=["external", "timer"])
    yield
    s.went_on("bc works", adds)
    s.check("bc is the same", find("bc") == s.pid("victim"))
