# SPDX-License-Identifier: GPL-2.0-or-later
"""nbdcopy waits for a block of an nbdkit server. A thread of nbdkit sleeps before it answers (--filter=delay)."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"nbdkit": "nbdkit", "nbdcopy": "libnbd-bin", "nbdinfo": "libnbd-bin"}
SIZE = 100000


def play(s):
    with open(s.path("disk"), "wb") as f:
        f.write(os.urandom(SIZE))
    ports = {name: s.port() for name in ("server", "bystander")}
    for name, port in ports.items():
        delay = ["--filter=delay", "rdelay=%d" % (s.seconds + 4)] if name == "server" else [None, None]
        cmd = ["nbdkit", "-f", "-i", "127.0.0.1", "-p", port, "-t", "4", delay[0], "file", "disk", delay[1]]
        s.start(name, [x for x in cmd if x])
        s.wait("%s listens" % name, lambda port=port: s.connects(port))
        s.check("%s answers" % name, s.out(["nbdinfo", "--size", "nbd://127.0.0.1:" + port]) == str(SIZE))

    def sleepers():
        """The threads of nbdkit that sleep for a time. nbdkit calls ppoll for this; its third argument is the time."""
        found = []
        for tid in s.threads("server"):
            v = proc(s.pid("server"), "syscall", tid).split()
            if v[0] == "271" and int(v[3], 16) or v[0] in ("35", "230"):
                found.append(tid)
        return found

    s.check("no thread of nbdkit sleeps yet", not sleepers())

    s.begin()
    victim = s.start("victim", ["nbdcopy", "--connections=1", "--requests=1",
                                "nbd://127.0.0.1:" + ports["server"], s.path("copy")])
    s.wait("a thread of nbdkit sleeps", sleepers)
    s.role("sleeper", s.pid("server"), sleepers()[0])
    s.during("one thread of nbdkit sleeps", lambda: sleepers() == [s.roles["sleeper"][1]])
    s.during("nbdkit computes nothing", lambda: not s.uses_cpu("sleeper", 0.02, 0.2))
    s.during("nbdcopy waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the other nbdkit answers", lambda: s.out(["nbdcopy", "nbd://127.0.0.1:" + ports["bystander"], "null:"]) == "")
    s.hang(victim="victim", culprits=["sleeper", "server"], causes=["timer", "slow-peer"], wrong=["bystander", "test"])
    yield
    s.ended("victim")
    s.check("the copy is whole", s.out(["cmp", "disk", "copy"]) == "")
