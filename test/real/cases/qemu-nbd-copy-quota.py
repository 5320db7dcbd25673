# SPDX-License-Identifier: GPL-2.0-or-later
"""qemu-img asks qemu-nbd, which serves one client at a time. The client is nbdcopy. It waits for its pipe to gzip, and
gzip gets 2 % of a CPU: the quota of its control group."""
import os

from lib import in_cgroup
from scene import descendants, proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"qemu-nbd": "qemu-utils", "qemu-img": "qemu-utils", "nbdcopy": "libnbd-bin", "ss": "iproute2", "gzip": "gzip"}
SIZE = 8 << 20


def play(s):
    where = s.path("socket")
    url = "nbd+unix:///?socket=" + where
    with open(s.path("image"), "wb") as f:
        f.write(os.urandom(SIZE))
    s.start("server", ["qemu-nbd", "-t", "-e", "1", "-f", "raw", "-k", where, s.path("image")])
    s.wait("the server answers", lambda: "file format: raw" in s.out(["qemu-img", "info", url], timeout=5))
    group, old = s.control_group("cpu", "nbd-%d" % os.getpid())
    set_quota(group, old, 2000)
    gzip = " ".join("'%s'" % x for x in in_cgroup(group, ["gzip", "-1"]))
    copy = "nbdcopy --requests=1 --connections=1 '%s' -" % url
    s.start("backup", ["sh", "-c", "%s | %s >%s" % (copy, gzip, s.path("image.gz"))])

    def find(comm):
        return next((p for p in descendants(s.pid("backup")) if proc(p, "comm").strip() == comm), None)

    s.wait("nbdcopy and gzip run", lambda: find("nbdcopy") and find("gzip"))
    s.role("nbdcopy", find("nbdcopy"))
    s.role("gzip", find("gzip"))
    s.wait("nbdcopy waits for gzip", lambda: s.wchan("nbdcopy").endswith("pipe_write"))

    s.begin()
    victim = s.start("victim", ["qemu-img", "info", url])
    s.wait("the victim waits", lambda: s.state("victim") == "S" and unanswered(s, where))

    def waits_for_quota():
        used, before = s.cpu_s("gzip"), throttled(group)
        s.wait("the quota of gzip ends again", lambda: throttled(group) > before, 3)
        return s.cpu_s("gzip") - used < 0.5 and s.syscall("gzip") == "running"

    s.during("gzip has used up its quota", waits_for_quota)
    s.during("nbdcopy waits for gzip", lambda: s.state("nbdcopy") == "S" and any(
        proc(s.pid("nbdcopy"), "wchan", t).endswith("pipe_write") for t in s.threads("nbdcopy")))
    s.during("the server has not accepted the victim", lambda: unanswered(s, where))
    s.during("the victim waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["gzip"], causes=["starved"], vague=["nbdcopy", "server", "backup"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.wait("the backup ends", lambda: s.processes["backup"][0].poll() == 0)
    s.check("the information came", "virtual size: 8 MiB" in s.output("victim"))


def unanswered(s, where):
    """Connections wait in the backlog of the socket."""
    rows = [x.split() for x in s.out(["ss", "-xlnH"]).splitlines() if where in x]
    return int(rows[0][2]) > 0
