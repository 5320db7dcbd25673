# SPDX-License-Identifier: GPL-2.0-or-later
"""make -j2 waits for a token of its jobserver. Both jobs are compilers that read a FIFO which nobody opens for writing."""
HELD_OUT = False
NEEDS = {"make": "make", "gcc": "gcc"}


def play(s):
    for name in "abc":
        with open(s.path(name + ".c"), "w", encoding="utf-8") as f:
            f.write('#include "%s.h"\nint %s(void) { return %s; }\n' % (name, name, name.upper()))
    with open(s.path("c.h"), "w", encoding="utf-8") as f:
        f.write("#define C 3\n")
    with open(s.path("Makefile"), "w", encoding="utf-8") as f:
        f.write("all: a.o b.o c.o\n%.o: %.c\n\tgcc -c $<\n")
    s.out(["mkfifo", "a.h", "b.h"])

    s.begin()
    make = s.start("make", ["make", "-j2"])

    def compiler(name):
        """The cc1 of a.c or b.c."""
        for pid in s.living():
            with open("/proc/%d/cmdline" % pid, encoding="utf-8") as f:
                words = f.read().split("\0")
            if words[0].endswith("cc1") and name + ".c" in words:
                return pid
        return None

    for name in "ab":
        s.wait("cc1 compiles %s.c" % name, lambda name=name: compiler(name))
        cc1 = s.role("cc1-" + name, compiler(name))
        with open("/proc/%d/status" % cc1, encoding="utf-8") as f:
            s.role("gcc-" + name, int(f.read().partition("PPid:")[2].split()[0]))
        s.wait("cc1 opens the FIFO", lambda name=name: s.syscall("cc1-" + name) == "openat")
    s.during("both compilers wait for a writer of their FIFO",
             lambda: all(s.syscall("cc1-" + n) == "openat" and s.wchan("cc1-" + n) == "wait_for_partner" for n in "ab"))
    s.during("make waits for a token", lambda: make.poll() is None and s.syscall("make") == "pselect6")
    s.during("c.c is not compiled", lambda: "c.c" not in s.output("make"))
    # Only the test opens these FIFOs for writing.
    s.hang(victim="make", culprits=["cc1-a", "cc1-b", "test"], causes=["missing-wakeup", "external", "slow-peer"],
           vague=["gcc-a", "gcc-b"])
    yield
    for name in "ab":
        with open(s.path(name + ".h"), "w", encoding="utf-8") as f:
            f.write("#define %s 1\n" % name.upper())
    s.ended("make")
    s.check("c.c was compiled", "gcc -c c.c" in s.output("make"))
