# SPDX-License-Identifier: GPL-2.0-or-later
"""find waits, because its pipe to less is full. less shows a screen, and waits for a key of its user."""
import os

HELD_OUT = False
NEEDS = {"find": "findutils", "less": "less", "script": "bsdutils"}
FILES = 4000


def play(s):
    os.mkdir(s.path("papers"))
    for i in range(FILES):
        with open(os.path.join(s.path("papers"), "%05d-%s" % (i, "paper" * 10)), "w", encoding="ascii"):
            pass
    env = {**os.environ, "TERM": "xterm", "LESS": "", "LESSOPEN": "", "LESSHISTFILE": "-", "LINES": "24", "COLUMNS": "80"}

    def pipeline(name, papers):
        s.start(name, ["script", "-qefc", "find %s | less; echo done" % papers, s.path(name + ".log")], env=env, talk=True)
        s.wait("there is a shell", lambda: s.child(name))
        shell, less = name + "-shell", name + "-less"
        s.role(shell, s.child(name))
        s.wait("there is a less", lambda: s.child(shell, "less"))
        s.role(less, s.child(shell, "less"))
        s.wait("less waits for a key", lambda: s.syscall(less) in ("read", "poll", "ppoll") and
               "papers" in s.output(name))

    pipeline("bystander", "papers -name '*7-*'")
    s.wait("the other find has ended", lambda: not s.child("bystander-shell", "find"))

    s.begin()
    pipeline("terminal", "papers")
    s.role("find", s.child("terminal-shell", "find"))
    s.wait("find waits", lambda: s.syscall("find") == "write")
    s.during("find waits in a write to the pipe", lambda: s.syscall("find") == "write" and "pipe" in s.wchan("find"))
    s.during("less reads the same pipe", lambda: os.readlink("/proc/%d/fd/1" % s.pid("find")) ==
             os.readlink("/proc/%d/fd/0" % s.pid("terminal-less")))
    s.during("less waits for a key",
             lambda: s.state("terminal-less") == "S" and s.syscall("terminal-less") in ("read", "poll", "ppoll"))
    s.during("less shows the first screen only", lambda: s.output("terminal").count("paper" * 10) < 100)
    # The test is the user. script only passes keys on.
    s.hang(victim="find", culprits=["terminal-less", "test"], causes=["external", "slow-peer"],
           vague=["terminal", "terminal-shell"], wrong=["bystander", "bystander-shell", "bystander-less"])
    yield

    def press(key):
        s.processes["terminal"][0].stdin.write(key)
        s.processes["terminal"][0].stdin.flush()

    press(b"G")
    s.went_on("find ends", lambda: not s.child("terminal-shell", "find"))
    s.wait("less shows the end", lambda: "%05d" % (FILES - 1) in s.output("terminal") or "(END)" in s.output("terminal"))
    press(b"q")
    s.wait("less ends", lambda: "done" in s.output("terminal"))
