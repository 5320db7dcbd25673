# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: tail -f shows a log in a directory of unionfs-fuse. It looks for new lines each second, and they come."""
import os
import subprocess

HELD_OUT = True
NEEDS = {"unionfs-fuse": "unionfs-fuse", "tail": "coreutils"}
LOG = """
n=0
while :; do
    n=$((n+1))
    echo "parcel $n" >>$1/shop.log
    sleep 0.6
done
"""


def play(s):
    for name in "upper", "lower", "all":
        os.mkdir(s.path(name))
    with open(s.path("lower/old.log"), "w", encoding="ascii") as f:
        f.write("nothing\n")
    with open(s.path("writer"), "w", encoding="ascii") as f:
        f.write(LOG)
    s.callback(subprocess.run, ["umount", "-l", s.path("all")], stderr=subprocess.DEVNULL, check=False)
    branches = "%s=RW:%s=RO" % (s.path("upper"), s.path("lower"))
    s.start("unionfs", ["unionfs-fuse", "-f", "-o", "cow", branches, s.path("all")])
    s.wait("the directory is mounted", lambda: os.path.ismount(s.path("all")) and os.path.exists(s.path("all/old.log")))
    s.start("writer", ["sh", "writer", s.path("all")])
    s.wait("the log is there", lambda: os.path.exists(s.path("all/shop.log")))
    victim = s.start("victim", ["tail", "-f", "-n", "+1", s.path("all/shop.log")])

    def lines():
        return s.output("victim").count("\n")

    s.wait("tail shows a line", lambda: lines() > 0)

    s.begin()

    def goes_on():
        n = lines()
        s.wait("tail shows the next line", lambda: lines() > n, 4)
        return True

    def sleeps():
        s.wait("tail sleeps", lambda: s.syscall("victim") in ("nanosleep", "clock_nanosleep"), 3)
        return victim.poll() is None

    s.during("lines come", goes_on)
    s.during("tail sleeps in between", sleeps)
    s.during("the log is a file of unionfs", lambda: os.path.ismount(s.path("all")) and
             os.path.exists(s.path("upper/shop.log")))
    s.normal(victim="victim", causes=["timer", "polling", "external"])
    yield
    n = lines()
    s.went_on("the next line comes", lambda: lines() > n)
    s.check("a line came in most seconds", lines() >= s.seconds - 1)
