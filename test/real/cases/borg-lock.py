# SPDX-License-Identifier: GPL-2.0-or-later
"""A backup with borg tries again and again to get the lock of its repository. Another borg has the lock, and reads a dump
from a pipe. The script that writes the dump sleeps."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"borg": "borgbackup", "gzip": "gzip"}


def play(s):
    env = {**os.environ, "BORG_BASE_DIR": s.path("base"), "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes"}
    borg = ["env"] + ["%s=%s" % pair for pair in env.items() if pair[0].startswith("BORG")] + ["borg"]
    os.mkdir(s.path("papers"))
    with open(s.path("papers/letter"), "w", encoding="ascii") as f:
        f.write("hello\n")
    s.out([*borg, "init", "-e", "none", s.path("repo")])
    with open(s.path("dump"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\necho part one\nsleep $1\necho part two\n")
    os.chmod(s.path("dump"), 0o755)

    for name, reader in ("bystander", "gzip -c"), ("owner", "borg create %s::dump -" % s.path("repo")):
        s.start(name, ["sh", "-c", "./dump 60 | %s; true" % reader], env=env)
        comm = reader.split()[0]
        s.wait("both parts of %s run" % name, lambda name=name, comm=comm: s.child(name, "dump") and s.child(name, comm))
        s.role(name + "_dump", s.child(name, "dump"))
        s.role(name + "_" + comm, s.child(name, comm))
        s.wait("the dump sleeps", lambda name=name: s.child(name + "_dump", "sleep"))
        s.role(name + "_sleep", s.child(name + "_dump", "sleep"))
    s.wait("the owner has the lock", lambda: os.listdir(s.path("repo/lock.exclusive")), 20)
    s.wait("the owner reads the dump", lambda: "pipe_read" in s.wchan("owner_borg"))

    s.begin()
    victim = s.start("victim", ["borg", "--lock-wait", "60", "create", s.path("repo") + "::papers", "papers"], env=env)
    s.wait("the victim is borg", lambda: proc(victim.pid, "comm") == "borg\n")
    s.wait("the victim sleeps between two tries",
           lambda: s.syscall("victim") in ("clock_nanosleep", "select", "pselect6"), 20)
    names = os.listdir(s.path("repo/lock.exclusive"))
    s.check("the lock has the owner's pid", len(names) == 1 and ".%d-" % s.pid("owner_borg") in names[0])
    s.during("the owner has the lock", lambda: os.listdir(s.path("repo/lock.exclusive")) == names)
    s.during("the owner waits for the dump", lambda: "pipe_read" in s.wchan("owner_borg"))
    s.during("the dump sleeps", lambda: s.child("owner_dump") == s.pid("owner_sleep") and
             "nanosleep" in s.syscall("owner_sleep"))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             not s.uses_cpu("victim", 0.3) and s.output("victim") == "")
    # The lock is a directory, so the victim itself only polls.
    s.hang(victim="victim", culprits=["owner_sleep", "owner_dump", "owner_borg"],
           causes=["lock-holder", "timer", "slow-peer"], vague=["victim", "owner"],
           wrong=["bystander", "bystander_gzip", "bystander_dump", "bystander_sleep", "test"])
    yield
    os.kill(s.pid("owner_sleep"), 15)
    s.ended("owner")
    s.ended("victim")
    s.check("both archives are there", s.out([*borg, "list", "--short", s.path("repo")]).split() == ["dump", "papers"])
