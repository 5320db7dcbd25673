# SPDX-License-Identifier: GPL-2.0-or-later
"""A make waits for the lock of the common output (make -O). Another make owns the lock, and waits in a write, because its
pipe to ts is full. SIGSTOP has stopped ts."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"make": "make", "ts": "moreutils", "flock": "util-linux"}
TOP = """
all: shop desk
shop desk:
\t+@$(MAKE) --no-print-directory -f part.mk PART=$@
.PHONY: all shop desk
"""
PART = """
N := 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
all: $(N:%=$(PART)-%)
$(PART)-%:
\t@head -c 20000 /dev/zero | tr '\\0' x; echo; echo $@ done
.PHONY: all
"""


def play(s):
    for name, text in ("top.mk", TOP), ("part.mk", PART):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("bystander", ["flock", s.path("other.lock"), "sleep", "600"])
    s.start("other_ts", ["sh", "-c", "sleep 600 | exec ts"])
    s.out(["mkfifo", "out"])
    s.start("ts", ["sh", "-c", "exec ts <out >log"])
    s.start("make", ["sh", "-c", "exec >out; read go && exec make -f top.mk -j3 -Otarget"], talk=True)
    s.wait("ts runs", lambda: proc(s.pid("ts"), "comm") == "ts\n", 30)

    s.begin()
    os.kill(s.pid("ts"), signal.SIGSTOP)
    s.wait("ts stops", lambda: s.state("ts") == "T")
    s.say("make", "go")
    output = "/proc/%d/fd/1" % s.pid("make")

    def parts():
        return [p for p in s.living() if proc(p, "comm") == "make\n" and p != s.pid("make")]

    s.wait("a make owns the lock, and another make waits for it", lambda: len(s.locks(output)["owners"]) == 1 and
           s.locks(output)["waiters"] and set(s.locks(output)["waiters"]) < set(parts()), 30)
    s.role("owner", s.locks(output)["owners"][0])
    s.role("victim", s.locks(output)["waiters"][0])
    s.wait("the owner waits for its pipe", lambda: s.syscall("owner") == "write")
    s.during("the owner has the lock, and the victim waits for it",
             lambda: s.locks(output) == {"owners": [s.pid("owner")], "waiters": [s.pid("victim")]})
    s.during("the owner writes into the full pipe", lambda: s.syscall("owner") == "write" and s.state("owner") == "S" and
             "pipe" in s.wchan("owner"))
    s.during("the victim waits for the lock", lambda: s.syscall("victim") == "fcntl" and s.state("victim") == "S")
    s.during("ts is stopped", lambda: s.state("ts") == "T" and os.readlink("/proc/%d/fd/0" % s.pid("ts")) == s.path("out"))
    s.during("the other ts waits", lambda: s.state("other_ts") == "S")
    s.hang(victim="victim", culprits=["ts", "test"], causes=["stopped"], vague=["owner"],
           wrong=["bystander", "other_ts", "make"])
    yield
    os.kill(s.pid("ts"), signal.SIGCONT)
    s.ended("make")
    with open(s.path("log"), encoding="ascii") as f:
        s.check("all parts are done", f.read().count(" done\n") >= 30)
