# SPDX-License-Identifier: GPL-2.0-or-later
"""tar waits for its xz. xz waits for memory: its control group, of version 1, has no memory left and no OOM killer."""
import os

from lib import in_cgroup
from scene import Missing, proc

HELD_OUT = False
NEEDS = {"tar": "tar", "xz": "xz-utils", "sha256sum": "coreutils"}
SIZE = 1 << 20


def play(s):
    if not os.path.exists("/sys/fs/cgroup/memory/memory.oom_control"):
        raise Missing("no control groups of version 1 for memory")
    group, _ = s.control_group("memory", "memory-xz")

    def put(name, value):
        with open(os.path.join(group, name), "w", encoding="ascii") as f:
            f.write(value)

    def get(name):
        with open(os.path.join(group, name), encoding="ascii") as f:
            return f.read()

    os.mkdir(s.path("papers"))
    with open(s.path("papers/paper"), "wb") as f:
        f.write(os.urandom(SIZE))
    with open(s.path("squeeze"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\n%s\n" % " ".join("'%s'" % x for x in in_cgroup(group, ["xz", "-T1", "-6"])))
    os.chmod(s.path("squeeze"), 0o755)
    put("memory.oom_control", "1")
    put("memory.limit_in_bytes", "8M")  # xz -6 needs about 94 MiB
    s.start("bystander", ["sh", "-c", "nice -n 19 xz -T1 -6 </dev/zero | sha256sum"])

    s.begin()
    victim = s.start("victim", ["tar", "-I", s.path("squeeze"), "-cf", s.path("papers.tar.xz"), "papers"])

    def xz():
        return next((int(pid) for pid in get("cgroup.procs").split() if proc(int(pid), "comm") == "xz\n"), None)

    s.wait("xz runs", xz)
    s.role("xz", xz())
    s.wait("xz waits for memory", lambda: "oom" in s.wchan("xz"))
    s.wait("tar waits for its pipe", lambda: s.syscall("victim") == "write" and s.state("victim") == "S")
    s.during("the control group is out of memory, and kills nothing", lambda: "under_oom 1" in get("memory.oom_control") and
             "oom_kill 0" in get("memory.oom_control"))
    s.during("xz waits for memory", lambda: "oom" in s.wchan("xz") and not s.uses_cpu("xz", 0.02, 0.2))
    s.during("tar waits in a write to the pipe of xz", lambda: victim.poll() is None and s.syscall("victim") == "write" and
             s.state("victim") == "S")
    s.hang(victim="victim", culprits=["xz"], causes=["memory"], wrong=["bystander", "test"])
    yield
    put("memory.limit_in_bytes", "1G")
    s.ended("victim")
    s.check("the archive is whole", s.out(["tar", "-tJf", "papers.tar.xz"]).split() == ["papers/", "papers/paper"])
