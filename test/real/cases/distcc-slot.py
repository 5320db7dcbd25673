# SPDX-License-Identifier: GPL-2.0-or-later
"""distcc waits for the only slot of distccd. Another distcc has the slot. SIGSTOP has stopped the cc1 of this other distcc."""
import os
import signal

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"distcc": "distcc", "distccd": "distcc", "gcc": "gcc", "ss": "iproute2"}


def play(s):
    port = s.port()
    os.mkdir(s.path("home"))
    big = "".join("int f%d(int x) { int i, n = 0; for (i = 0; i < x; i++) n += (n << 3) ^ (i * x + %d); return n; }\n" % (i, i)
                  for i in range(1500))
    for name, text in ("big.c", big), ("small.c", "int g(void) { return 4; }\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("distccd", ["distccd", "--daemon", "--no-detach", "--allow", "127.0.0.1", "--listen", "127.0.0.1", "--port", port,
                        "--jobs", "1", "--log-stderr", "--user", "distccd"])
    s.wait("distccd listens", lambda: s.connects(port))
    env = {**os.environ, "DISTCC_HOSTS": "127.0.0.1:%s/1" % port, "DISTCC_DIR": s.path("home"), "DISTCC_FALLBACK": "0",
           "DISTCC_SKIP_LOCAL_RETRY": "1"}
    words = ["env", *("%s=%s" % (k, v) for k, v in env.items() if k.startswith("DISTCC"))]

    def compile_it(name, to):
        return ["distcc", "gcc", "-O2", "-c", name, "-o", to]

    s.out([*words, *compile_it("small.c", "first.o")])
    s.check("distccd has compiled the first file", "COMPILE_OK" in s.output("distccd"))

    def find(comm, role):
        return next((pid for pid in descendants(s.pid(role)) if proc(pid, "comm") == comm + "\n"), None)

    holder = s.start("holder", compile_it("big.c", "big.o"), env=env)
    s.wait("cc1 runs", lambda: find("cc1", "distccd"))
    s.role("cc1", find("cc1", "distccd"))

    s.begin()
    os.kill(s.pid("cc1"), signal.SIGSTOP)
    s.wait("cc1 stops", lambda: s.state("cc1") == "T")
    for role, child in ("gcc", "cc1"), ("session", "gcc"):
        s.role(role, int(proc(s.pid(child), "stat").rpartition(")")[2].split()[1]))
    victim = s.start("victim", compile_it("small.c", "second.o"), env=env)
    s.wait("the victim sleeps", lambda: s.syscall("victim") in ("nanosleep", "clock_nanosleep", "select", "pselect6"))
    s.during("cc1 is stopped", lambda: s.state("cc1") == "T")
    s.during("gcc waits for cc1", lambda: s.syscall("gcc") == "wait4" and s.child("gcc") == s.pid("cc1"))
    s.during("the first client waits", lambda: holder.poll() is None and s.state("holder") == "S")
    s.during("the victim waits for a slot, and has no connection", lambda: victim.poll() is None and s.state("victim") == "S" and
             not any("pid=%d," % victim.pid in line for line in s.out(["ss", "-tnpH"]).splitlines()))
    s.during("the first client has the slot", lambda: any(
        s.pid("holder") in s.locks(os.path.join(s.path("home/lock"), f))["owners"] for f in os.listdir(s.path("home/lock"))))
    s.hang(victim="victim", culprits=["cc1", "test"], causes=["stopped", "queueing"], vague=["gcc", "session", "holder"],
           wrong=["distccd"])
    yield
    os.kill(s.pid("cc1"), signal.SIGCONT)
    s.ended("victim")
    s.check("the object is there", os.path.exists(s.path("second.o")))
