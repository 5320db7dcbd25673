# SPDX-License-Identifier: GPL-2.0-or-later
"""cmake --build waits for make, make waits for gcc, and gcc for cc1. The compiler launcher has put gcc into a control group,
whose CPU quota lets cc1 run for 2 % of the time."""
import os

from scene import descendants, proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"cmake": "cmake", "make": "make", "gcc": "gcc", "tclsh": "tcl"}
FUNCTIONS = 150
PROJECT = """cmake_minimum_required(VERSION 3.13)
project(shop C)
set(CMAKE_C_COMPILER_LAUNCHER %s)
add_executable(shop main.c parcels.c)
"""
LAUNCHER = """#!/bin/sh
case "$*" in *parcels.c) echo $$ >%s/cgroup.procs ;; esac
exec "$@"
"""


def play(s):
    group, old = s.control_group("cpu", "cmake-quota")
    os.mkdir(s.path("src"))
    for name, text in ("src/CMakeLists.txt", PROJECT % s.path("launcher")), ("launcher", LAUNCHER % group), \
            ("src/main.c", "int parcels(int n);\nint main(void) { return parcels(1) == 1; }\n"), \
            ("src/parcels.c", "int parcels(int n) { return n; }\n" + "".join(
                "int parcel%d(int *p, int n) { int t = 0; for (int i = 0; i < n; i++) { t += p[i] * %d; p[i] ^= t; if (t %% 7)"
                " p[n - i - 1] = t; } return t; }\n" % (i, i) for i in range(FUNCTIONS))):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("launcher"), 0o755)
    s.out(["cmake", "-G", "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release", "-S", "src", "-B", "out"])
    set_quota(group, old, 2000)
    s.start("decoy", ["tclsh"], talk=True)
    s.say("decoy", "while 1 {}")

    def made(comm):
        return [p for p in descendants(s.pid("victim")) if proc(p, "comm") == comm + "\n"]

    def compiler():
        return [p for p in made("cc1") if "parcels.c" in proc(p, "cmdline")]

    s.begin()
    victim = s.start("victim", ["cmake", "--build", "out"])
    s.wait("the compiler runs", compiler, 20)
    s.role("cc1", compiler()[0])
    s.role("gcc", next(p for p in descendants(victim.pid) if s.pid("cc1") in descendants(p) and
                       proc(p, "comm") in ("gcc\n", "cc\n")))
    s.wait("cc1 is throttled", lambda: throttled(group) > 3)
    seen = [0]

    def still_throttled():
        before, seen[0] = seen[0], throttled(group)
        return seen[0] > before or s.wait("it is throttled", lambda: throttled(group) > before, 2) is None

    s.during("the group was throttled again", still_throttled)
    s.during("cc1 wants to run", lambda: s.state("cc1") == "R" and not s.uses_cpu("cc1", 0.2))
    s.during("gcc waits for cc1", lambda: s.syscall("gcc") in ("wait4", "waitid") and s.child("gcc") == s.pid("cc1"))
    s.during("make and cmake wait", lambda: all(proc(p, "stat").rpartition(")")[2].split()[0] == "S" for p in made("gmake") or
                                                made("make")) and victim.poll() is None and s.state("victim") == "S")
    s.during("another program computes", lambda: s.state("decoy") == "R")
    s.hang(victim="victim", culprits=["cc1"], causes=["starved"], vague=["gcc"], wrong=["decoy", "test"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.check("the program is there", os.path.exists(s.path("out/shop")))
