# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: entr waits on purpose for changes of some files. A user saves a file now and then, and entr runs a quick test."""
import os

HELD_OUT = False
NEEDS = {"entr": "entr", "sh": "dash"}
EDITOR = """
while :; do sleep 0.7; echo "line" >>src/one.c; done
"""


def play(s):
    os.mkdir(s.path("src"))
    for name in "src/one.c", "src/two.c":
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write("int x;\n")
    with open(s.path("editor"), "w", encoding="ascii") as f:
        f.write(EDITOR)
    s.start("watch", ["sh", "-c", "ls src/*.c | entr -n sh -c 'cksum src/one.c; echo tested'"])
    s.wait("entr runs", lambda: s.child("watch", "entr"))
    s.role("entr", s.child("watch", "entr"))
    s.wait("the first test is done", lambda: "tested" in s.output("watch"))
    s.start("editor", ["sh", "editor"])

    def tests():
        return s.output("watch").count("tested")

    s.wait("a change is tested", lambda: tests() > 2)

    s.begin()
    first, seen = tests(), [0]

    def goes_on():
        before = max(seen[0], tests())
        s.wait("a new test is done", lambda: tests() > before, 3)
        seen[0] = tests()
        return True

    s.during("tests are done", goes_on)
    s.during("entr does not compute", lambda: not s.uses_cpu("entr", 0.2, 0.1))
    s.normal(victim="entr", causes=["timer", "external"])
    yield
    s.check("each change is tested", tests() - first >= s.seconds)
    n = tests()
    s.went_on("it goes on", lambda: tests() > n)
