# SPDX-License-Identifier: GPL-2.0-or-later
"""A backup script waits for chronic, which hides the output of its command. The command is tar, which has filled the first
volume, and asks the user for the next one. chronic hides the question, so nobody answers."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"chronic": "moreutils", "tar": "tar"}
SCRIPT = """
chronic tar -c -M -L 100 -f volume papers
echo backup $?
"""


def play(s):
    os.mkdir(s.path("papers"))
    for i in range(10):
        with open(s.path("papers/paper%d" % i), "wb") as f:
            f.write(os.urandom(15000))
    with open(s.path("backup"), "w", encoding="ascii") as f:
        f.write(SCRIPT)
    s.start("bystander", ["sh", "-c", "tar -cf - papers | cat >copy; exec cat"], talk=True)

    s.begin()
    victim = s.start("victim", ["sh", "backup"], talk=True)
    s.wait("chronic runs", lambda: s.child("victim", "chronic"))
    s.role("chronic", s.child("victim", "chronic"))
    s.wait("tar runs", lambda: s.child("chronic", "tar"))
    s.role("tar", s.child("chronic", "tar"))
    s.wait("tar reads", lambda: s.syscall("tar") == "read" and proc(s.pid("tar"), "syscall").split()[1] == "0x0")
    s.during("tar waits for its user", lambda: s.syscall("tar") == "read" and
             proc(s.pid("tar"), "syscall").split()[1] == "0x0" and
             os.readlink("/proc/%d/fd/0" % s.pid("tar")) == os.readlink("/proc/%d/fd/0" % victim.pid))
    s.during("the first volume is full", lambda: os.path.getsize(s.path("volume")) == 100 << 10)
    s.during("chronic waits for tar, and the victim for chronic", lambda: s.child("chronic") == s.pid("tar") and
             s.child("victim") == s.pid("chronic") and s.state("chronic") == "S")
    s.during("nothing of the question is seen", lambda: s.output("victim") == "")
    # The test is the user.
    s.hang(victim="victim", culprits=["tar", "test"], causes=["external"], vague=["chronic"], wrong=["bystander"])
    yield
    s.say("victim", "n volume2")
    s.say("victim", "")
    s.ended("victim")
    s.check("the backup is done", s.output("victim") == "backup 0\n" and os.path.getsize(s.path("volume2")) > 0)
