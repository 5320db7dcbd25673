# SPDX-License-Identifier: GPL-2.0-or-later
"""flock(1) waits for a file lock. Another flock(1) owns the lock, and its command sleeps."""
HELD_OUT = False
NEEDS = {"flock": "util-linux"}


def play(s):
    lock, other = s.path("lock"), s.path("other")
    s.start("bystander", ["flock", other, "sleep", "60"])
    s.wait("the bystander has its lock", lambda: s.locks(other)["owners"] == [s.pid("bystander")])
    owner = s.start("owner", ["flock", lock, "sleep", s.seconds + 1])
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [owner.pid])
    s.wait("the owner's command runs", lambda: s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))

    s.begin()
    victim = s.start("victim", ["flock", lock, "true"])
    s.wait("the victim waits", lambda: s.locks(lock)["waiters"] == [victim.pid])
    s.during("the victim waits for the lock, and the owner has it",
             lambda: s.locks(lock) == {"owners": [owner.pid], "waiters": [victim.pid]})
    s.during("the victim sleeps in flock", lambda: s.syscall("victim") == "flock")
    s.during("the owner's command sleeps", lambda: s.syscall("sleeper") == "clock_nanosleep")
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"], wrong=["bystander"])
    yield
    s.ended("owner")
    s.ended("victim")
