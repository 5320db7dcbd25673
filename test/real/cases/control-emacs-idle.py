# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: emacs shows a file, and its user is away. emacs waits for a key. It takes the first key at once."""
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"emacs": "emacs-nox", "script": "bsdutils"}


def play(s):
    with open(s.path("note"), "w", encoding="ascii") as f:
        f.write("a note\n")
    env = {**os.environ, "TERM": "xterm", "HOME": s.where, "LC_ALL": "C"}
    s.start("terminal", ["script", "-qefc", "stty rows 24 cols 80; exec emacs -nw -Q note", s.path("log")], env=env, talk=True)

    def press(keys):
        s.processes["terminal"][0].stdin.write(keys)
        s.processes["terminal"][0].stdin.flush()

    s.wait("emacs shows the file", lambda: "a note" in s.output("terminal"), 30)
    s.role("emacs", next(p for p in descendants(s.pid("terminal")) if proc(p, "comm").startswith("emacs")))
    press(b"x\x18\x13")  # a letter, C-x C-s
    s.wait("emacs saves the file", lambda: open(s.path("note"), encoding="ascii").read() == "xa note\n")
    s.wait("emacs is idle", lambda: s.state("emacs") == "S" and not s.uses_cpu("emacs", 0.02))

    s.begin()
    s.during("emacs waits for a key", lambda: s.state("emacs") == "S" and s.syscall("emacs") == "pselect6" and
             not s.uses_cpu("emacs", 0.05, 0.2))
    s.normal(victim="emacs", causes=["timer", "external"])
    yield
    press(b"y\x18\x13")
    s.went_on("emacs saves the file again", lambda: open(s.path("note"), encoding="ascii").read() == "xya note\n")
    press(b"\x18\x03")  # C-x C-c
    s.ended("terminal")
