# SPDX-License-Identifier: GPL-2.0-or-later
"""Two reports run on the two threads of a thread pool. Each report waits for a job that is queued in the same pool."""
import re

from scene import proc

HELD_OUT = False
NEEDS = {"python3": "python3"}

REPORTS = r"""
import sys, threading
from concurrent.futures import ThreadPoolExecutor, TimeoutError

pool, other = ThreadPoolExecutor(2), ThreadPoolExecutor(1)
both = threading.Barrier(2)

def say(name):
    sys.stdout.write("%s %d\n" % (name, threading.get_native_id()))
    sys.stdout.flush()

def report(name):
    say(name)
    both.wait()
    try:
        return pool.submit(len, name).result(timeout=float(sys.argv[1]))
    except TimeoutError:
        return 0

other.submit(say, "bystander").result()
sys.stdin.readline()
reports = [pool.submit(report, name) for name in ("north", "south")]
print("reports", [r.result() for r in reports], flush=True)
"""


def play(s):
    with open(s.path("reports.py"), "w", encoding="ascii") as f:
        f.write(REPORTS)
    # After this time, a report no longer waits for its job.
    victim = s.start("victim", ["/usr/bin/python3", "reports.py", s.seconds + 3], talk=True)
    s.wait("the other pool has a thread", lambda: "bystander" in s.output("victim"))

    s.begin()
    s.say("victim", "go")
    s.wait("both reports run", lambda: len(s.output("victim").splitlines()) == 3)
    for name in "north", "south", "bystander":
        s.role(name, victim.pid, int(re.search("%s ([0-9]+)" % name, s.output("victim")).group(1)))
    s.check("the program has these threads, and no other", set(s.threads("victim")) == {
        victim.pid, *(s.roles[name][1] for name in ("north", "south", "bystander"))})
    for name in "north", "south":
        s.during("%s waits for its job" % name, lambda name=name: s.syscall(name) == "futex" and s.state(name) == "S" and
                 "futex" in proc(victim.pid, "wchan", s.roles[name][1]))
    s.during("the main thread waits", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S" and
             "reports" not in s.output("victim"))
    s.hang(victim="victim", culprits=["north", "south"], causes=["circular-wait", "queueing", "missing-wakeup", "timer"],
           wrong=["bystander", "test"])
    yield
    s.ended("victim")
    s.check("a report has given up", re.search(r"reports \[(0, |\d, 0)", s.output("victim")))
