# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: make compiles with gcc -pipe. Each assembler (as) waits for a cc1 that computes."""
from scene import proc

HELD_OUT = True
NEEDS = {"make": "make", "gcc": "gcc", "as": "binutils"}
FILES, FUNCTIONS = 200, 400


def play(s):
    for i in range(FILES):
        with open(s.path("f%03d.c" % i), "w", encoding="ascii") as f:
            for j in range(FUNCTIONS):
                f.write("int f%d(int a, int b) { int s = b; for (int i = 0; i < a; i++) s += (a ^ i) * %d %% (b | 1); "
                        "return s; }\n" % (j, j + i + 3))
    with open(s.path("Makefile"), "w", encoding="ascii") as f:
        f.write("all: $(patsubst %.c,%.o,$(wildcard *.c))\n%.o: %.c\n\tgcc -O2 -pipe -c $<\n")

    def begun():
        return s.output("make").count("gcc -O2")

    def compilers():
        """(number of cc1, number of as)"""
        names = [proc(pid, "comm").strip() for pid in s.living()]
        return names.count("cc1"), names.count("as")

    s.begin()
    make = s.start("make", ["make", "-j2"])
    s.wait("the first files are compiled", lambda: begun() > 4)
    seen = [0]

    def goes_on():
        before, seen[0] = seen[0], begun()
        return seen[0] > before or s.wait("the next file", lambda: begun() > before, 3) is None

    s.during("more files were compiled", goes_on)
    s.during("a cc1 and an as run", lambda: s.wait("a cc1 and an as", lambda: min(compilers()) > 0, 2) is None)
    s.during("make still has work", lambda: make.poll() is None and begun() < FILES)
    s.normal(victim="make", causes=["busy"])
    yield
    n = begun()
    s.went_on("more files are compiled", lambda: begun() > n)
    s.check("make compiled a file a second, or more", n > s.seconds)
