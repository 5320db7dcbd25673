# SPDX-License-Identifier: GPL-2.0-or-later
"""tar waits for its compressor, xz. xz may run on one CPU only, where a sha256sum with real-time priority computes."""
import os
import random

from scene import Missing, proc

HELD_OUT = False
NEEDS = {"tar": "tar", "xz": "xz-utils", "chrt": "util-linux", "taskset": "util-linux", "sha256sum": "coreutils"}


def play(s):
    cpus = os.sched_getaffinity(0)
    cpu = max(cpus)
    if len(cpus) < 2:
        raise Missing("this case needs two CPUs")
    words = random.Random(1).choices([b"parcel", b"letter", b"stamp", b"desk", b"clerk", b"counter"], k=2000000)
    os.mkdir(s.path("papers"))
    with open(s.path("papers/words"), "wb") as f:
        f.write(b" ".join(words))
    # `--idle`: the bystander runs only on a CPU that would be idle otherwise.
    s.start("bystander", ["chrt", "--idle", "0", "sha256sum", "/dev/zero"])

    s.begin()
    s.start("hog", ["taskset", "-c", cpu, "chrt", "--fifo", "10", "sha256sum", "/dev/zero"])
    s.wait("the hog computes", lambda: proc(s.pid("hog"), "comm") == "sha256sum\n" and s.uses_cpu("hog", 0.8, 0.2))
    # tar may run on the other CPUs, so the hog does not hold up tar itself.
    victim = s.start("victim", ["taskset", "-c", ",".join(map(str, cpus - {cpu})), "tar", "-I", "taskset -c %d xz -1" % cpu,
                                "-cf", "papers.tar.xz", "papers"])

    def xz():
        return next((pid for pid in s.living() if proc(pid, "comm") == "xz\n"), None)

    s.wait("xz runs", xz)
    s.role("xz", xz())

    def tar_writes():
        """Now and then xz reads some bytes from the pipe, and tar writes more bytes."""
        s.wait("tar waits in a write", lambda: s.syscall("victim") == "write" and s.state("victim") == "S", 1)
        return victim.poll() is None

    s.wait("tar waits for xz", tar_writes)
    s.during("the hog has the CPU, with real-time priority", lambda: s.uses_cpu("hog", 0.8) and
             os.sched_getscheduler(s.pid("hog")) == os.SCHED_FIFO)
    s.during("both may run on this CPU only", lambda: os.sched_getaffinity(s.pid("hog")) ==
             os.sched_getaffinity(s.pid("xz")) == {cpu})
    s.during("xz wants to run", lambda: s.state("xz") == "R" and not s.uses_cpu("xz", 0.2))
    s.during("tar waits in a write to the pipe of xz", lambda: tar_writes() and not s.uses_cpu("victim", 0.1))
    s.hang(victim="victim", culprits=["hog"], causes=["starved", "busy"], vague=["xz"], wrong=["bystander", "test"])
    yield
    s.processes["hog"][0].terminate()
    s.ended("victim")
    s.check("the archive is whole", s.out(["tar", "-tJf", "papers.tar.xz"]).split() == ["papers/", "papers/words"])
