# SPDX-License-Identifier: GPL-2.0-or-later
"""flock(1) waits for a lock. The owner's command waits for a second lock. The command of the second owner sleeps."""
HELD_OUT = True
NEEDS = {"flock": "util-linux"}


def play(s):
    first, second, other = s.path("first"), s.path("second"), s.path("other")
    s.start("bystander", ["flock", other, "sleep", "60"])
    owner = s.start("owner", ["flock", second, "sleep", s.seconds + 2])
    s.wait("both locks have an owner", lambda: s.locks(other)["owners"] == [s.pid("bystander")] and
           s.locks(second)["owners"] == [owner.pid])
    s.wait("the owner's command runs", lambda: s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))
    middle = s.start("middle", ["flock", first, "flock", second, "true"])
    s.wait("the one in the middle has the first lock", lambda: s.locks(first)["owners"] == [middle.pid])
    s.wait("its command waits for the second lock", lambda: s.child("middle", "flock") in s.locks(second)["waiters"])
    s.role("command", s.child("middle", "flock"))

    s.begin()
    victim = s.start("victim", ["flock", first, "true"])
    s.wait("the victim waits", lambda: s.locks(first)["waiters"] == [victim.pid])
    s.during("the victim waits for the first lock", lambda: s.syscall("victim") == "flock" and
             s.locks(first) == {"owners": [middle.pid], "waiters": [victim.pid]})
    s.during("the owner of the first lock waits for its command", lambda: s.syscall("middle") == "wait4")
    s.during("this command waits for the second lock", lambda: s.syscall("command") == "flock" and
             s.locks(second) == {"owners": [owner.pid], "waiters": [s.pid("command")]})
    s.during("the command of the second owner sleeps", lambda: s.syscall("sleeper") == "clock_nanosleep")
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"], stuck=["middle", "command"],
           wrong=["bystander", "test"])
    yield
    s.ended("owner")
    s.ended("middle")
    s.ended("victim")
