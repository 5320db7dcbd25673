# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: fio reads twenty blocks a second, because its user wants this rate. It sleeps between the reads."""
import re

from scene import proc

HELD_OUT = True
NEEDS = {"fio": "fio"}
BLOCK, RATE = 4096, 20


def play(s):
    s.start("fio", ["fio", "--name=read", "--filename=" + s.path("data"), "--size=4M", "--rw=randread", "--bs=%d" % BLOCK,
                    "--rate_iops=%d" % RATE, "--ioengine=psync", "--thread", "--time_based", "--runtime=120"])

    def naps():
        """The threads that sleep for a time and have read the file. The main thread does not read it."""
        return [t for t in s.threads("fio") if t != s.pid("fio") and reads(t) > 3 and
                proc(s.pid("fio"), "syscall", t).split()[0] in ("35", "230")]

    def reads(tid):
        return int(re.search(r"syscr: (\d+)", proc(s.pid("fio"), "io", tid)).group(1))

    s.wait("the thread that reads sleeps", naps)
    s.check("one thread reads", len(naps()) == 1)
    s.role("victim", s.pid("fio"), naps()[0])

    s.begin()

    def goes_on():
        n = reads(s.roles["victim"][1])
        s.wait("three more blocks are read", lambda: reads(s.roles["victim"][1]) > n + 2, 3)
        return True

    s.during("fio reads on", goes_on)
    s.during("the thread uses almost no CPU", lambda: not s.uses_cpu("victim", 0.1))
    s.normal(victim="victim", causes=["timer"])
    began = reads(s.roles["victim"][1])
    yield
    n = reads(s.roles["victim"][1])
    s.went_on("more blocks are read", lambda: reads(s.roles["victim"][1]) > n + 2)
    s.check("fio read about as many blocks as its user wants", n - began > RATE * s.seconds / 3)
