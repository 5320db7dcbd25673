# SPDX-License-Identifier: GPL-2.0-or-later
"""vim waits for bc, through which vim filters a text. bc computes."""
import os
import signal

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"vim": "vim", "bc": "bc"}


def play(s):
    for name, text in ("sums", "7^77777777 % 3\n"), ("small", "6 * 7\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)

    def vim(name):
        return ["vim", "-es", "-u", "NONE", "-i", "NONE", "-c", "silent %!bc; true", "-c", "wq! " + name + ".new", name]

    s.out(vim("small"))
    with open(s.path("small.new"), encoding="ascii") as f:
        s.check("the filter works", f.read() == "42\n")
    s.start("bystander", ["sh", "-c", "echo '7^77777777 % 5' | nice -n 19 bc"])

    def bc():
        return next((pid for pid in descendants(s.pid("victim")) if proc(pid, "comm") == "bc\n"), None)

    s.begin()
    victim = s.start("victim", vim("sums"))
    s.wait("bc runs", bc)
    s.role("bc", bc())
    s.role("shell", s.child("victim"))
    s.role("subshell", int(proc(s.pid("bc"), "stat").rpartition(")")[2].split()[1]))
    s.during("bc computes", lambda: bc() == s.pid("bc") and s.uses_cpu("bc", 0.1))
    s.during("vim waits", lambda: victim.poll() is None and not s.uses_cpu("victim", 0.05) and
             not os.path.exists(s.path("sums.new")))
    s.hang(victim="victim", culprits=["bc"], causes=["busy"], vague=["shell", "subshell"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("bc"), signal.SIGTERM)
    s.ended("victim")
    s.check("vim has saved the text", os.path.exists(s.path("sums.new")))
