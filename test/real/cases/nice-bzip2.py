# SPDX-License-Identifier: GPL-2.0-or-later
"""A bzip2 with the least priority gets almost no CPU: three programs with normal priority compute on its only CPU."""
import os
import random
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"bzip2": "bzip2", "perl": "perl", "nice": "coreutils", "taskset": "util-linux"}
HOGS = ["hog0", "hog1", "hog2"]
NIGHT = """#!/bin/sh
read line
for i in 1 2 3; do
    perl -e '1 while 1' &
done
exec nice -n 19 bzip2 -k words
"""


def play(s):
    cpus = os.sched_getaffinity(0)
    cpu, other = max(cpus), min(cpus)
    words = random.Random(1).choices([b"parcel", b"letter", b"stamp", b"desk", b"clerk", b"counter"], k=500000)
    with open(s.path("words"), "wb") as f:
        f.write(b" ".join(words))
    s.start("bystander", ["taskset", "-c", other, "nice", "-n", "19", "perl", "-e", "1 while 1"])
    # With autogroup, priorities count only within a session. So hogs and bzip2 are in one session.
    with open(s.path("night"), "w", encoding="ascii") as f:
        f.write(NIGHT)
    victim = s.start("victim", ["taskset", "-c", cpu, "sh", "night"], talk=True)

    s.begin()
    s.say("victim", "go")
    s.wait("the hogs and bzip2 are there", lambda: len(children(victim.pid)) == len(HOGS) and
           proc(victim.pid, "comm") == "bzip2\n")
    for hog, pid in zip(HOGS, children(victim.pid)):
        s.role(hog, pid)
    s.wait("the hogs compute", lambda: all(s.uses_cpu(hog, 0.2, 0.3) for hog in HOGS))
    s.wait("bzip2 has its priority", lambda: os.getpriority(os.PRIO_PROCESS, victim.pid) == 19 and s.cpu_s("victim") > 0)
    s.during("bzip2 wants to run", lambda: victim.poll() is None and s.state("victim") == "R")
    s.during("bzip2 gets almost no CPU", lambda: not s.uses_cpu("victim", 0.1))
    s.during("bzip2 has the least priority", lambda: os.getpriority(os.PRIO_PROCESS, victim.pid) == 19)
    s.during("the hogs have normal priority, and compute", lambda: all(
        os.getpriority(os.PRIO_PROCESS, s.pid(hog)) == 0 and s.uses_cpu(hog, 0.15, 0.3) for hog in HOGS))
    s.during("all may run on this CPU only", lambda: all(os.sched_getaffinity(s.pid(r)) == {cpu} for r in [*HOGS, "victim"]))
    s.hang(victim="victim", culprits=HOGS, causes=["starved", "busy"], vague=["victim"], wrong=["bystander", "test"])
    yield
    for hog in HOGS:
        os.kill(s.pid(hog), signal.SIGKILL)
    s.ended("victim")
    s.check("the packed file is whole", s.out(["sh", "-c", "bunzip2 -c words.bz2 | cmp - words"]) == "")
