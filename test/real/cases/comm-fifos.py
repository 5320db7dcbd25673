# SPDX-License-Identifier: GPL-2.0-or-later
"""comm has opened its first FIFO, and waits in open for a writer of its second one. awk should write both FIFOs, one after the
other. It waits in a write, because the first FIFO is full: comm does not read it yet. So each waits for the other."""
import contextlib
import os
import signal

HELD_OUT = False
NEEDS = {"comm": "coreutils", "mawk": "mawk", "sh": "dash"}
SPLIT = """#!/bin/sh
mkfifo $1.old $1.new
mawk -v n=$2 -v old=$1.old -v new=$1.new '
    BEGIN {
        for (i = 100000; i < 100000 + n; i++) print "parcel", i > old
        close(old)
        for (i = 100001; i <= 100000 + n; i++) print "parcel", i > new
        close(new)
    }' &
comm -3 $1.old $1.new
wait
echo compared
"""


def play(s):
    with open(s.path("split"), "w", encoding="ascii") as f:
        f.write(SPLIT)
    small = s.start("small", ["sh", "split", "small", 5])
    s.wait("a short list is compared", lambda: small.poll() is not None)
    s.check("it is right", s.output("small").split() == ["parcel", "100000", "parcel", "100005", "compared"])
    s.start("bystander", ["sh", "-c", "mkfifo other; mawk '{ print }' other & exec sleep 600 >other"])

    s.begin()
    script = s.start("script", ["sh", "split", "big", 20000])
    s.wait("comm and awk run", lambda: s.child("script", "comm") and s.child("script", "mawk"))
    s.role("victim", s.child("script", "comm"))
    s.role("awk", s.child("script", "mawk"))

    def files(role):
        where = "/proc/%d/fd" % s.pid(role)
        return {os.path.basename(os.readlink(os.path.join(where, fd))) for fd in os.listdir(where)}

    def opens():
        """The path that comm opens."""
        with open("/proc/%d/syscall" % s.pid("victim"), encoding="ascii") as f:
            address = int(f.read().split()[2], 16)
        with open("/proc/%d/mem" % s.pid("victim"), "rb") as f:
            f.seek(address)
            return f.read(8).partition(b"\0")[0].decode()

    s.wait("both wait", lambda: s.syscall("victim") == "openat" and s.syscall("awk") == "write")
    s.during("comm has the first FIFO, and opens the second one", lambda: s.syscall("victim") == "openat" and
             s.state("victim") == "S" and "big.old" in files("victim") and opens() == "big.new")
    s.during("awk writes into the first FIFO, and has not opened the second one", lambda: s.syscall("awk") == "write" and
             s.state("awk") == "S" and "pipe" in s.wchan("awk") and "big.old" in files("awk") and "big.new" not in files("awk"))
    s.during("no other process has one of the FIFOs", lambda: not files("script") & {"big.old", "big.new"})
    s.during("the script waits", lambda: script.poll() is None and s.state("script") == "S")
    s.hang(victim="victim", culprits=["awk", "victim"], causes=["circular-wait"], wrong=["bystander", "script", "test"])
    yield
    # A user gives comm an empty second list. Then comm reads the first list to its end.
    with open(s.path("big.new"), "wb"):
        pass
    s.went_on("comm ends", lambda: s.child("script", "comm") is None)
    with contextlib.suppress(ProcessLookupError):  # SIGPIPE may have ended it
        os.kill(s.pid("awk"), signal.SIGTERM)
    s.ended("script")
    s.check("comm has written the first list", s.output("script").count("parcel") == 20000)
