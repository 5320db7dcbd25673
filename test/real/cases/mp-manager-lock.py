# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python process waits for a lock of a multiprocessing.Manager. Another process owns the lock, and waits for its gzip, which
computes. A thread of the manager takes the lock for each of them."""
import os
import re

from scene import children

HELD_OUT = False
NEEDS = {"python3": "python3", "gzip": "gzip"}
NIGHT = """
import multiprocessing, os, subprocess, sys

def say(*what):
    sys.stdout.write(" ".join(map(str, what)) + "\\n")
    sys.stdout.flush()

def owner(lock, begun):
    say("owner", os.getpid())
    with lock:
        with open("/dev/zero", "rb") as data:
            packer = subprocess.Popen(["gzip", "-9"], stdin=data, stdout=subprocess.DEVNULL)
        say("packer", packer.pid)
        begun.set()
        packer.wait()
    say("packed")

def victim(lock, begun):
    say("victim", os.getpid())
    begun.wait()
    say("asks")
    with lock:
        say("stored")

def idle(jobs):
    say("idle", os.getpid())
    jobs.get()

if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        lock, begun, jobs = manager.Lock(), context.Event(), manager.Queue()
        crew = [context.Process(target=f, args=a) for f, a in
                ((idle, (jobs,)), (victim, (lock, begun)), (owner, (lock, begun)))]
        for p in crew[:2]:
            p.start()
        sys.stdin.readline()
        crew[2].start()
        for line in sys.stdin:  # asks whether the lock is free
            free = lock.acquire(False)
            if free:
                lock.release()
            say("free" if free else "taken")
        jobs.put(None)
        for p in crew:
            p.join()
            assert p.exitcode == 0
"""


def play(s):
    with open(s.path("night.py"), "w", encoding="ascii") as f:
        f.write(NIGHT)
    s.start("night", ["/usr/bin/python3", "night.py"], talk=True)

    def said(name):
        return int(re.search("^%s ([0-9]+)$" % name, s.output("night"), re.M).group(1))

    for name in "idle", "victim":
        s.wait("%s runs" % name, lambda name=name: re.search("^%s " % name, s.output("night"), re.M))
        s.role(name, said(name))
    s.wait("the processes wait", lambda: s.state("victim") == s.state("idle") == "S")
    s.role("manager", next(pid for pid in children(s.pid("night")) if pid not in (s.pid("idle"), s.pid("victim"))))
    s.start("bystander", ["sh", "-c", "sleep 600 | gzip -9 >/dev/null"])

    s.begin()
    s.say("night", "go")
    for name in "owner", "packer":
        s.wait("%s runs" % name, lambda name=name: re.search("^%s " % name, s.output("night"), re.M))
        s.role(name, said(name))
    s.wait("the victim asks for the lock", lambda: "asks" in s.output("night"))
    s.wait("the victim waits for the manager", lambda: s.syscall("victim") in ("read", "recvfrom"))

    s.during("the lock is taken", lambda: s.ask("night", "?") == "taken")
    s.during("gzip, the child of the owner, computes", lambda: s.child("owner") == s.pid("packer") and
             s.uses_cpu("packer", 0.1))
    s.during("the owner waits for gzip", lambda: s.syscall("owner") == "wait4" and "packed" not in s.output("night"))
    s.during("the victim waits for the manager", lambda: s.syscall("victim") in ("read", "recvfrom") and
             "stored" not in s.output("night"))
    s.during("the manager does not compute", lambda: not s.uses_cpu("manager", 0.1, 0.2))
    s.hang(victim="victim", culprits=["packer", "owner"], causes=["busy", "lock-holder"], vague=["manager"],
           wrong=["idle", "night", "bystander", "test"])
    yield
    os.kill(s.pid("packer"), 15)
    s.went_on("the victim has stored", lambda: "stored" in s.output("night"))
    s.processes["night"][0].stdin.close()
    s.ended("night")
