# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: the processes of distccd wait on purpose for something to compile. A build sends a small file about each 0.6 s,
and has its object at once."""
import os

from scene import children, proc

HELD_OUT = True
NEEDS = {"distcc": "distcc", "distccd": "distcc", "gcc": "gcc", "sh": "dash"}
BUILD = """
while :; do
    distcc gcc -O0 -c part.c -o part.o && echo compiled || echo failed
    sleep 0.5
done
"""


def play(s):
    port = s.port()
    os.mkdir(s.path("home"))
    for name, text in ("part.c", "int part(void) { return 4; }\n"), ("build", BUILD):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("distccd", ["distccd", "--daemon", "--no-detach", "--allow", "127.0.0.1", "--listen", "127.0.0.1", "--port", port,
                        "--jobs", "2", "--log-stderr", "--user", "distccd"])
    s.wait("distccd listens", lambda: s.connects(port))
    env = {**os.environ, "DISTCC_HOSTS": "127.0.0.1:%s/2" % port, "DISTCC_DIR": s.path("home"), "DISTCC_FALLBACK": "0",
           "DISTCC_SKIP_LOCAL_RETRY": "1"}
    s.start("build", ["sh", "build"], env=env)

    def compiled():
        return s.output("build").count("compiled")

    s.wait("files are compiled", lambda: compiled() > 2, 20)
    workers = [p for p in children(s.pid("distccd")) if proc(p, "comm") == "distccd\n"]
    s.check("distccd has several processes", len(workers) > 1)
    for n, pid in enumerate(workers):
        s.role("worker%d" % n, pid)
    first = compiled()

    s.begin()

    def goes_on():
        n = compiled()
        s.wait("a file is compiled", lambda: compiled() > n, 5)
        return True

    s.during("files are compiled", goes_on)
    s.during("the worker is there, and mostly waits", lambda: s.pid("worker0") in children(s.pid("distccd")) and
             not s.uses_cpu("worker0", 0.3, 0.3))
    s.normal(victim="worker0", causes=["timer", "external"])
    yield
    n = compiled()
    s.check("many files were compiled", n - first >= s.seconds // 2)
    s.check("none has failed", "failed" not in s.output("build"))
    s.went_on("more files are compiled", lambda: compiled() > n)
