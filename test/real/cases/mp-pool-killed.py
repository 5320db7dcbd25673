# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program waits for a pool of processes. SIGKILL has ended a worker during a job. The job's result never comes."""
import os
import re
import signal

from scene import children

HELD_OUT = False
NEEDS = {"python3": "python3"}

RESIZE = r"""
import multiprocessing, os, sys, time

def resize(name):
    sys.stdout.write("%s %d\n" % (name, os.getpid()))
    sys.stdout.flush()
    time.sleep(1)
    return name

if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        try:
            print(pool.map(resize, ["bolt", "nut", "nail", "hook"], chunksize=1), flush=True)
        except KeyboardInterrupt:
            print("given up", flush=True)
"""


def play(s):
    with open(s.path("resize.py"), "w", encoding="ascii") as f:
        f.write(RESIZE)
    victim = s.start("victim", ["/usr/bin/python3", "resize.py"])
    s.wait("two jobs run", lambda: len(s.output("victim").splitlines()) == 2)

    def worker(name):
        return int(re.search("^%s ([0-9]+)$" % name, s.output("victim"), re.M).group(1))

    s.role("killed", worker("bolt"))
    s.role("worker", worker("nut"))

    s.begin()
    os.kill(s.pid("killed"), signal.SIGKILL)  # as the kernel does when there is no memory left
    s.wait("the last job begins", lambda: re.search("^hook ", s.output("victim"), re.M))
    s.wait("there is a new worker", lambda: len(set(children(victim.pid)) - {s.pid("killed")}) == 2)
    new = set(children(victim.pid)) - {s.pid("killed"), s.pid("worker")}
    s.role("new", new.pop())
    s.during("the worker is gone", lambda: not os.path.exists("/proc/%d" % s.pid("killed")))
    s.during("all other jobs have begun", lambda: len(s.output("victim").splitlines()) == 4)
    s.during("the program waits", lambda: victim.poll() is None and s.syscall("victim") == "futex" and s.state("victim") == "S")
    s.during("no worker computes", lambda: s.state("worker") == "S" == s.state("new"))
    # No worker can end this wait, because the job of the killed worker is lost.
    s.hang(victim="victim", culprits=["killed", "victim", "test"], causes=["missing-wakeup", "external", "slow-peer"],
           wrong=["worker", "new"])
    yield
    s.check("the workers wait for jobs", s.syscall("worker") in ("read", "futex") and s.syscall("new") in ("read", "futex"))
    victim.send_signal(signal.SIGINT)
    s.ended("victim")
    s.check("the user gave up", s.output("victim").endswith("given up\n"))
