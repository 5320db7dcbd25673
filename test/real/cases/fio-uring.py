# SPDX-License-Identifier: GPL-2.0-or-later
"""fio waits in io_uring_enter for a slow disk: a loop device with a limit of bytes a second."""
import os
import re
import time

from scene import Missing

HELD_OUT = False
NEEDS = {"fio": "fio", "losetup": "mount"}
LIMIT = "/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device"  # of the root group, for one device
LIMIT_BPS = 100 << 10
ENTER = "426"  # io_uring_enter


def play(s):
    if not os.path.exists(LIMIT):
        raise Missing("no limits of block I/O by control groups of version 1")
    loops, devices = {}, {}
    for name in "victim", "bystander":
        with open(s.path(name + ".image"), "wb") as f:
            f.write(os.urandom(16 << 20))
        loops[name] = s.out(["losetup", "-f", "--show", s.path(name + ".image")])
        s.callback(s.out, ["losetup", "-d", loops[name]])
        with open("/sys/block/%s/dev" % os.path.basename(loops[name]), encoding="ascii") as f:
            devices[name] = f.read().strip()

    def limit(bps):
        with open(LIMIT, "w", encoding="ascii") as f:
            f.write("%s %d" % (devices["victim"], bps))

    def fio(name, *more):
        return ["fio", "--name=read", "--filename=" + loops[name], "--readonly", "--rw=read", "--bs=1M", "--iodepth=1",
                "--direct=1", "--ioengine=io_uring", "--thread", "--output-format=terse", "--terse-version=3", *more]

    s.callback(limit, 0)
    s.check("the disk is quick", s.out(fio("victim", "--size=16M")).startswith("3;fio"))

    def read_bytes():
        """The bytes that were read from the disk."""
        with open("/sys/block/%s/stat" % os.path.basename(loops["victim"]), encoding="ascii") as f:
            return int(f.read().split()[2]) * 512

    def enters():
        """The thread of fio that waits in io_uring_enter."""
        found = []
        for tid in s.threads("fio"):
            with open("/proc/%d/task/%d/syscall" % (s.pid("fio"), tid), encoding="ascii") as f:
                if f.read().split()[0] == ENTER:
                    found.append(tid)
        return found

    limit(LIMIT_BPS)
    s.begin()
    victim = s.start("fio", fio("victim", "--size=16M"))
    s.wait("a thread of fio waits for the disk", enters)
    s.role("victim", s.pid("fio"), enters()[0])
    began, began_s = read_bytes(), time.monotonic()
    s.during("this thread waits in io_uring_enter", lambda: victim.poll() is None and enters() == [s.roles["victim"][1]])
    s.during("the disk reads as slowly as the limit says",
             lambda: read_bytes() - began < (1 << 20) + 2 * LIMIT_BPS * (time.monotonic() - began_s))
    s.during("fio computes almost nothing", lambda: not s.uses_cpu("victim", 0.1))
    s.during("the other disk is quick", lambda: s.out(fio("bystander", "--size=1M")).startswith("3;fio"))
    s.hang(victim="victim", culprits=["victim"], causes=["disk"], wrong=["test"])
    yield
    limit(0)
    s.ended("fio")
    s.check("fio has read all", re.match(r"3;fio[^;]*;read;0;0;16384;", s.output("fio").strip().splitlines()[-1]))
