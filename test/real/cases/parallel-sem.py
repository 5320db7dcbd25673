# SPDX-License-Identifier: GPL-2.0-or-later
"""A sem of GNU parallel waits for the one place of its semaphore. Another sem has the place, and its job is a sleep."""
import glob
import os

from scene import proc

HELD_OUT = False
SECONDS = 8
NEEDS = {"sem": "parallel", "sleep": "coreutils"}


def play(s):
    os.mkdir(s.path("home"))
    env = {**os.environ, "HOME": s.where, "PARALLEL_HOME": s.path("home")}
    with open(s.path("home/will-cite"), "w", encoding="ascii"):
        pass

    def sem(name, *job):
        return ["sem", "--fg", "--id", name, "-j1", *job]

    s.start("first", sem("press", "echo", "printed"), env=env)
    s.wait("sem works", lambda: s.processes["first"][0].poll() == 0 and s.output("first") == "printed\n", 40)
    s.start("holder", sem("press", "sleep", "3000"), env=env)
    s.start("bystander", sem("binder", "sleep", "3000"), env=env)

    def descendants(pid):
        found = [pid]
        for x in glob.glob("/proc/%d/task/*/children" % pid):
            with open(x, encoding="ascii") as f:
                for child in f.read().split():
                    found += descendants(int(child))
        return found

    def job(name):
        for pid in descendants(s.pid(name)):
            if proc(pid, "cmdline") == "sleep\x003000\x00":  # parallel has other sleeps at its start
                return pid
        return None

    for name, role in ("holder", "job"), ("bystander", "job2"):
        s.wait("%s has its job" % name, lambda name=name: job(name), 40)
        s.role(role, job(name))

    def owner():
        """The processes whose files (PID@HOST) are in the directory of the semaphore."""
        return {int(os.path.basename(x).split("@")[0]) for x in glob.glob(s.path("home/semaphores/id-press/*@*"))}

    s.check("the holder has the place", owner() == {s.pid("holder")})
    s.begin()
    victim = s.start("victim", sem("press", "echo", "printed"), env=env)

    def looks():
        """Each look makes and removes the lock file, so that the time of the directory changes."""
        before = os.stat(s.path("home/semaphores")).st_mtime_ns
        s.wait("the victim looks for a place", lambda: os.stat(s.path("home/semaphores")).st_mtime_ns > before, 30)
        return True

    s.during("the holder has the place", lambda: owner() == {s.pid("holder")})
    s.during("the job sleeps", lambda: s.syscall("job") == "clock_nanosleep" and job("holder") == s.pid("job"))
    s.during("the holder waits for its job", lambda: s.state("holder") == "S")
    s.during("the victim looks for a place again and again", looks)
    s.during("the victim waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["job"], causes=["timer"], vague=["holder", "victim"],
           wrong=["bystander", "job2", "test"])
    yield
    s.out(["kill", s.pid("job")])
    s.ended("victim")
    s.check("the victim printed", s.output("victim") == "printed\n")
