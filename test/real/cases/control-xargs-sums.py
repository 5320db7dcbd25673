# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: xargs keeps two sha256sum at work, which compute the sums of many files. Each takes less than a second."""
import os

HELD_OUT = False
NEEDS = {"xargs": "findutils", "sha256sum": "coreutils"}
FILES, MB = 6000, 8


def play(s):
    os.mkdir(s.path("photos"))
    for i in range(FILES):
        with open(os.path.join(s.path("photos"), "%04d" % i), "wb") as f:
            f.truncate(MB << 20)  # a hole: it reads as zeros, without a disk
    job = s.start("job", ["sh", "-c", "find photos -type f -print0 | xargs -0 -n 1 -P 2 sha256sum; echo done"])
    s.wait("xargs runs", lambda: s.child("job", "xargs"))
    s.role("xargs", s.child("job", "xargs"))

    def sums():
        return s.output("job").count("photos/")

    s.wait("the first sums come", lambda: sums() > 2)

    s.begin()
    seen = [sums()]

    def goes_on():
        before = seen[0]
        s.wait("more sums come", lambda: sums() > before)
        seen[0] = sums()
        return True

    s.during("sums come", goes_on)
    s.during("the job has not ended", lambda: job.poll() is None and "done" not in s.output("job"))
    s.during("xargs itself computes nothing", lambda: not s.uses_cpu("xargs", 0.3))
    s.normal(victim="xargs", causes=["busy"])
    yield
    n = sums()
    s.went_on("more sums come", lambda: sums() > n + 2)
    s.check("more than a sum came each second", n > s.seconds)
