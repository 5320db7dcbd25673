# SPDX-License-Identifier: GPL-2.0-or-later
"""mdb_load waits for the mutex of LMDB's writers. Another mdb_load owns it, and reads from a tail that SIGSTOP has stopped."""
import os
import signal
import struct

from scene import proc

HELD_OUT = False
NEEDS = {"mdb_load": "lmdb-utils", "mdb_stat": "lmdb-utils", "tail": "coreutils"}


def play(s):
    s.out(["mkfifo", "pipe", "idle"])
    for name in "stock", "other":
        os.mkdir(s.path(name))
    for name, lines in ("changes", ""), ("first", "parcels\n17\n"), ("more", "letters\n18\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(lines)
    for base in "stock", "other":
        s.out(["mdb_load", "-T", "-f", "first", base])
    hold = os.open(s.path("idle"), os.O_RDWR)
    s.callback(os.close, hold)

    # When the writer has ended, tail ends. Then the owner writes the changes to the database.
    writer = s.start("writer", ["sh", "-c", "exec cat >>changes"], talk=True)
    s.start("tail", ["sh", "-c", "exec tail -n +1 -s 0.2 --pid=%d -f changes >pipe" % writer.pid])
    s.start("owner", ["sh", "-c", "exec mdb_load -T stock <pipe"])
    s.start("bystander", ["sh", "-c", "exec mdb_load -T other <idle"])
    s.say("writer", "stamps\n5")
    s.wait("the writer wrote", lambda: os.path.getsize(s.path("changes")) > 0)
    for name in "owner", "bystander":
        s.wait("%s reads" % name, lambda name=name: proc(s.pid(name), "comm") == "mdb_load\n" and s.syscall(name) == "read")

    s.begin()
    os.kill(s.pid("tail"), signal.SIGSTOP)
    s.wait("tail stops", lambda: s.state("tail") == "T")
    s.say("writer", "desks\n6")
    writer.stdin.close()
    s.wait("the writer ends", lambda: writer.poll() == 0)
    victim = s.start("victim", ["sh", "-c", "exec mdb_load -T -f more stock"])
    s.wait("the victim waits for the mutex", lambda: s.syscall("victim") == "futex")

    def owner_of_mutex():
        """The futex of a mutex that several processes share has the tid of its owner."""
        at = int(proc(s.pid("victim"), "syscall").split()[1], 16)
        with open("/proc/%d/mem" % s.pid("victim"), "rb") as f:
            f.seek(at)
            return struct.unpack("I", f.read(4))[0] & 0x3fffffff

    s.during("the victim waits for the mutex of the owner",
             lambda: s.syscall("victim") == "futex" and s.state("victim") == "S" and owner_of_mutex() == s.pid("owner"))
    s.during("the owner reads the pipe of tail", lambda: s.syscall("owner") == "read" and
             os.readlink("/proc/%d/fd/0" % s.pid("owner")) == os.readlink("/proc/%d/fd/1" % s.pid("tail")))
    s.during("tail is stopped", lambda: s.state("tail") == "T")
    s.during("the database can be read", lambda: "Entries: 1" in s.out(["mdb_stat", "stock"]))
    s.hang(victim="victim", culprits=["tail", "test"], causes=["stopped"], vague=["owner"], wrong=["bystander"])
    yield
    os.kill(s.pid("tail"), signal.SIGCONT)
    s.ended("owner")
    s.ended("victim")
    s.check("all is in the database", "Entries: 4" in s.out(["mdb_stat", "stock"]))
