# SPDX-License-Identifier: GPL-2.0-or-later
"""scons waits for the thread that runs its only job. The thread waits for g++, and g++ for cc1plus. cc1plus computes: it
optimizes a very big source, which a program has written. A second cc1plus computes too, for another build."""
import os

from scene import children, descendants, proc

HELD_OUT = False
NEEDS = {"scons": "scons", "g++": "g++"}
PART = ("int f%d(int *a, int x) { int n = 0; for (int i = 0; i < x; i++) for (int k = 0; k < %d; k++) { "
        "n += (n << 3) ^ (a[i] * a[k] + %d); a[k] = n > x ? n : x %% (k + 1); } return n; }\n")
PARTS = 3000  # about 30 s of work for a compiler


def play(s):
    def source(parts):
        return "".join(PART % (i, i % 7 + 3, i) for i in range(parts)) + "int main() { return 0; }\n"

    for name, parts in ("quick", 1), ("shop", PARTS), ("other", PARTS):
        os.mkdir(s.path(name))
        for file, text in ("SConstruct", "Program('shop', 'shop.cc', CXXFLAGS='-O3')\n"), ("shop.cc", source(parts)):
            with open(s.path(name + "/" + file), "w", encoding="ascii") as f:
                f.write(text)
    env = {**os.environ, "HOME": s.where}

    def build(role, directory, jobs):
        return s.start(role, ["scons", "-Q", "-j", jobs], cwd=s.path(directory), env=env)

    quick = build("quick", "quick", 2)
    s.wait("a quick build ends", lambda: quick.poll() is not None, 60)
    s.check("it is good", quick.poll() == 0)

    def compiler(role):
        return [p for p in descendants(s.pid(role)) if proc(p, "comm") == "cc1plus\n"][0]

    build("bystander", "other", 1)
    s.wait("the other compiler runs", lambda: compiler("bystander"), 30)
    s.role("other_cc1plus", compiler("bystander"))

    s.begin()
    victim = build("victim", "shop", 2)
    s.wait("the compiler runs", lambda: compiler("victim"), 30)
    s.role("cc1plus", compiler("victim"))

    def parent(pid):
        return int(proc(pid, "stat").rpartition(")")[2].split()[1])

    s.role("gxx", parent(s.pid("cc1plus")))
    s.check("g++ has started the compiler", proc(s.pid("gxx"), "comm") == "g++\n")

    def waiting():
        """The threads of scons that wait for a child."""
        return [t for t in s.threads("victim") if proc(victim.pid, "syscall", t).split()[0] == "61"]

    s.wait("a thread waits for the job", lambda: len(waiting()) == 1 and waiting() != [victim.pid])
    s.role("worker", victim.pid, waiting()[0])
    s.during("the compiler computes", lambda: compiler("victim") == s.pid("cc1plus") and s.uses_cpu("cc1plus", 0.1))
    s.during("g++ waits for it", lambda: s.wchan("gxx") == "do_wait" and children(s.pid("gxx")) == [s.pid("cc1plus")])
    s.during("a thread of scons waits for the job", lambda: waiting() == [s.roles["worker"][1]])
    s.during("the main thread of scons waits for this thread", lambda: victim.poll() is None and
             s.syscall("victim") == "futex" and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["cc1plus"], causes=["busy"], vague=["gxx"], stuck=["worker"],
           wrong=["bystander", "other_cc1plus", "test"])
    yield
    os.kill(s.pid("cc1plus"), 15)
    s.went_on("scons ends", lambda: victim.poll() is not None)
    s.check("scons says that the compiler was ended", victim.poll() == 2)
