# SPDX-License-Identifier: GPL-2.0-or-later
"""rsync copies a tree with three processes. SIGSTOP has stopped the receiver, so the sender and the generator wait."""
import os
import signal

HELD_OUT = False
NEEDS = {"rsync": "rsync"}
SIZE, A_SECOND = 24 << 20, 8 << 20  # bytes


def play(s):
    for name in "papers", "others":
        os.mkdir(s.path(name))
        with open(os.path.join(s.path(name), "book"), "wb") as f:
            f.write(os.urandom(SIZE))

    def copy(name, tree, a_second):
        """rsync forks the generator, which forks the receiver."""
        p = s.start(name, ["rsync", "-a", "--whole-file", "--bwlimit=%d" % (a_second >> 10), tree + "/", name + "-copy/"])
        s.wait("the generator is there", lambda: s.child(name, "rsync"))
        s.role(name + "-generator", s.child(name, "rsync"))
        s.wait("the receiver is there", lambda: s.child(name + "-generator", "rsync"))
        s.role(name + "-receiver", s.child(name + "-generator", "rsync"))
        return p

    copy("bystander", "others", 1 << 20)

    s.begin()
    victim = copy("sender", "papers", A_SECOND)
    os.kill(s.pid("sender-receiver"), signal.SIGSTOP)
    s.wait("the receiver stops", lambda: s.state("sender-receiver") == "T")

    def sent():
        """How many bytes the sender has read."""
        with open("/proc/%d/io" % victim.pid, encoding="ascii") as f:
            return int(f.readline().split()[1])

    seen = []

    def stands_still():
        seen.append(sent())
        return len(seen) > 20 and seen[-20] == seen[-1]

    s.wait("the sender makes no progress for a while", stands_still)
    still = sent()
    s.during("the receiver is stopped", lambda: s.state("sender-receiver") == "T")
    s.during("the sender makes no progress", lambda: victim.poll() is None and sent() == still < SIZE)
    s.during("the sender and the generator wait", lambda: all(
        s.state(role) == "S" and s.syscall(role) in ("poll", "select", "pselect6") for role in ("sender", "sender-generator")))
    s.hang(victim="sender", culprits=["sender-receiver", "test"], causes=["stopped"], stuck=["sender-generator"],
           wrong=["bystander", "bystander-generator", "bystander-receiver"])
    yield
    os.kill(s.pid("sender-receiver"), signal.SIGCONT)
    s.ended("sender")
    s.check("the copy is whole", os.path.getsize(s.path("sender-copy/book")) == SIZE)
