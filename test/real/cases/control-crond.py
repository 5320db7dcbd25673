# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: crond sleeps, because no job is due for months. A script sleeps between its backups."""
import os
import time

HELD_OUT = False
NEEDS = {"busybox": "busybox", "sh": "dash", "tar": "tar"}


def play(s):
    os.mkdir(s.path("tabs"))
    os.mkdir(s.path("papers"))
    with open(s.path("tabs/root"), "w", encoding="ascii") as f:
        f.write("59 23 31 %d * echo job\n" % (7 if time.localtime().tm_mon > 9 else 12))  # not soon
    with open(s.path("backup"), "w", encoding="ascii") as f:
        f.write("while :; do tar -cf papers.tar papers && echo saved; sleep 3; done\n")
    s.start("crond", ["busybox", "crond", "-f", "-l", "0", "-L", s.path("log"), "-c", s.path("tabs")])

    def log():
        with open(s.path("log"), encoding="ascii") as f:
            return f.read()

    s.wait("crond has read its table", lambda: "user:root entry" in log())
    s.wait("crond sleeps", lambda: s.syscall("crond") in ("nanosleep", "clock_nanosleep"))
    s.start("backup", ["sh", "backup"])
    s.wait("the first backup is made", lambda: "saved" in s.output("backup"))

    s.begin()
    s.during("crond sleeps", lambda: s.state("crond") == "S" and not s.uses_cpu("crond", 0.02, 0.2))
    s.during("no job has run", lambda: "USER root pid" not in log())
    s.normal(victim="crond", causes=["timer", "external"])
    yield
    n = s.output("backup").count("saved")
    s.check("backups were made meanwhile", n > 1)
    s.went_on("the next backup is made", lambda: s.output("backup").count("saved") > n)
