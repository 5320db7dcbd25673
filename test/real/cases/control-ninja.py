# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: ninja compiles many small files, two at a time."""
HELD_OUT = False
NEEDS = {"ninja": "ninja-build", "gcc": "gcc"}
FILES = 2000


def play(s):
    with open(s.path("build.ninja"), "w", encoding="ascii") as f:
        f.write("rule cc\n  command = gcc -O1 -c $in -o $out\n")
        for i in range(FILES):
            f.write("build %d.o: cc %d.c\n" % (i, i))
    for i in range(FILES):
        with open(s.path("%d.c" % i), "w", encoding="ascii") as f:
            f.write("#include <stdio.h>\nint f%d(void) { return printf(\"%d\"); }\n" % (i, i))

    def built():
        """The number of steps that ninja has finished: it prints [17/2000] after each."""
        said = s.output("ninja").rpartition("[")[2].partition("/")[0]
        return int(said) if said else 0

    s.begin()
    ninja = s.start("ninja", ["ninja", "-j2"])
    s.wait("the first files are compiled", lambda: built() > 2)
    seen = [0]

    def goes_on():
        before, seen[0] = seen[0], built()
        return seen[0] > before or s.wait("the next file", lambda: built() > before, 2) is None

    s.during("more files were compiled", goes_on)
    s.during("ninja still has work", lambda: ninja.poll() is None and built() < FILES)
    s.normal(victim="ninja", causes=["busy"])
    yield
    n = built()
    s.went_on("more files are compiled", lambda: built() > n)
    s.check("ninja compiled five files a second", n > 5 * s.seconds)
