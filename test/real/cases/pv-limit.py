# SPDX-License-Identifier: GPL-2.0-or-later
"""tar waits for gzip, and gzip for pv. pv sleeps on purpose, because its rate limit is very low."""
import os

HELD_OUT = True
NEEDS = {"tar": "tar", "gzip": "gzip", "pv": "pv"}
# The user of pv has made a mistake: -L 2k instead of -L 2m.
JOB = "tar -cf - papers | gzip -1 | pv -q -L 2k >papers.tgz && echo all ended"


def play(s):
    os.mkdir(s.path("papers"))
    with open(s.path("papers/words"), "wb") as f:
        f.write(os.urandom(3000000))
    s.start("bystander", ["sh", "-c", "sleep 60 | pv -q -L 1m >/dev/null"])

    s.begin()
    job = s.start("job", ["sh", "-c", JOB])
    for name in "tar", "gzip", "pv":
        s.wait("%s runs" % name, lambda name=name: s.child("job", name))
        s.role(name, s.child("job", name))

    def writes(role):
        return s.syscall(role) == "write" and "pipe" in s.wchan(role)

    s.wait("tar and gzip wait for their pipes", lambda: writes("tar") and writes("gzip"))
    s.during("tar and gzip wait for their pipes", lambda: writes("tar") and writes("gzip"))
    s.during("pv sleeps", lambda: job.poll() is None and not s.uses_cpu("pv", 0.1))
    s.hang(victim="tar", culprits=["pv"], causes=["timer", "slow-peer"], vague=["gzip"], stuck=["job"],
           wrong=["bystander", "test"])
    yield
    s.out(["pv", "-R", s.pid("pv"), "-L", "100m"])
    s.went_on("tar ends", lambda: s.child("job", "tar") is None)
    s.ended("job")
    s.check("the archive is whole", s.out(["tar", "-tzf", "papers.tgz"]).split() == ["papers/", "papers/words"])
