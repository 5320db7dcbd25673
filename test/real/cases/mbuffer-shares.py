# SPDX-License-Identifier: GPL-2.0-or-later
"""tar waits for mbuffer, and mbuffer for lzip. lzip gets almost no CPU: it may run on one CPU only, and its control group has
the least share of this CPU. A sha256sum in another control group, with a big share, computes on the same CPU."""
import os
import random

from lib import in_cgroup
from scene import Missing, proc

HELD_OUT = False
NEEDS = {"tar": "tar", "mbuffer": "mbuffer", "lzip": "lzip", "sha256sum": "coreutils", "taskset": "util-linux"}
NIGHT = "read go; tar -cf - papers | mbuffer -q -m 256k | %s >papers.tar.lz; echo packed; read end"


def play(s):
    cpus = os.sched_getaffinity(0)
    if len(cpus) < 2:
        raise Missing("this case needs two CPUs")
    cpu, rest = max(cpus), ",".join(map(str, cpus - {max(cpus)}))
    groups = {}
    for name, (shares, weight) in ("least", (2, 1)), ("most", (100000, 10000)):
        groups[name], old = s.control_group("cpu", "mbuffer-" + name)
        with open(os.path.join(groups[name], "cpu.shares" if old else "cpu.weight"), "w", encoding="ascii") as f:
            f.write(str(shares if old else weight))
    words = random.Random(1).choices([b"parcel", b"letter", b"stamp", b"desk", b"clerk", b"counter"], k=400000)
    os.mkdir(s.path("papers"))
    with open(s.path("papers/words"), "wb") as f:
        f.write(b" ".join(words))
    with open(s.path("pack"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nexec %s\n" % " ".join("'%s'" % x for x in in_cgroup(groups["least"], ["taskset", "-c", str(cpu),
                                                                                                   "lzip", "-1"])))
    os.chmod(s.path("pack"), 0o755)
    s.start("night", ["taskset", "-c", rest, "sh", "-c", NIGHT % s.path("pack")], talk=True)
    # `--idle`: the bystander runs only on a CPU that would be idle otherwise.
    s.start("bystander", ["chrt", "--idle", "0", "sha256sum", "/dev/zero"])

    s.start("hog", in_cgroup(groups["most"], ["taskset", "-c", str(cpu), "sha256sum", "/dev/zero"]))
    s.wait("the hog computes", lambda: proc(s.pid("hog"), "comm") == "sha256sum\n" and s.uses_cpu("hog", 0.6, 0.2))
    s.say("night", "go")
    for name, comm in ("victim", "tar"), ("mbuffer", "mbuffer"), ("lzip", "lzip"):
        s.wait("%s runs" % comm, lambda comm=comm: s.child("night", comm), 60)
        s.role(name, s.child("night", comm))
    s.begin()

    def tar_writes():
        """Now and then lzip reads some bytes, and tar writes more bytes."""
        s.wait("tar waits in a write", lambda: s.syscall("victim") == "write" and s.state("victim") == "S", 2)
        return s.state("victim") in "SR"

    s.wait("tar waits for mbuffer", tar_writes)
    s.during("the hog has the CPU", lambda: s.uses_cpu("hog", 0.5))
    s.during("both may run on this CPU only", lambda: os.sched_getaffinity(s.pid("hog")) ==
             os.sched_getaffinity(s.pid("lzip")) == {cpu})
    s.during("they are in their groups", lambda: "/ctrace-test-mbuffer-most\n" in proc(s.pid("hog"), "cgroup") and
             "/ctrace-test-mbuffer-least\n" in proc(s.pid("lzip"), "cgroup"))
    s.during("lzip wants to run, and gets almost nothing", lambda: s.state("lzip") == "R" and not s.uses_cpu("lzip", 0.1))
    s.during("tar waits in a write to its pipe", lambda: tar_writes() and not s.uses_cpu("victim", 0.1))
    s.hang(victim="victim", culprits=["hog"], causes=["starved", "busy"], vague=["lzip", "mbuffer"],
           wrong=["bystander", "night", "test"])
    yield
    s.processes["hog"][0].terminate()
    for name in groups:
        with open(os.path.join(groups[name], "cpu.shares" if old else "cpu.weight"), "w", encoding="ascii") as f:
            f.write("1024" if old else "100")
    s.went_on("all is packed", lambda: "packed" in s.output("night"))
    s.check("the archive is whole", s.out(["sh", "-c", "lzip -dc papers.tar.lz | tar -tf -"]).split() ==
            ["papers/", "papers/words"])
