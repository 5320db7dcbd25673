# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: workers of gearmand wait on purpose for jobs. A client gives three jobs a second, each done at once."""
HELD_OUT = True
NEEDS = {"gearmand": "gearman-job-server", "gearman": "gearman-tools"}


def play(s):
    port = s.port()
    s.start("gearmand", ["gearmand", "--listen", "127.0.0.1", "--port", port, "--log-file", s.path("log")], user="root")
    s.wait("gearmand listens", lambda: s.connects(port))
    tool = ["gearman", "-h", "127.0.0.1", "-p", port]
    for name in "first", "second":
        s.start(name, [*tool, "-w", "-f", "thumb", "--", "wc", "-c"])
    s.start("idle", [*tool, "-w", "-f", "mail", "--", "cat"])
    s.check("a worker does a job", s.out([*tool, "-f", "thumb", "bolt"]) == "4")

    s.begin()
    s.start("client", ["sh", "-c", "while gearman -h 127.0.0.1 -p %s -f thumb nail; do sleep 0.3; done" % port])

    def jobs():
        return s.output("client").count("4")

    def goes_on():
        n = jobs()
        s.wait("a job is done", lambda: jobs() > n, 2)
        return True

    s.during("jobs are done", goes_on)
    s.during("all workers wait", lambda: all(not s.uses_cpu(x, 0.2, 0.2) for x in ("first", "second", "idle")))
    s.normal(victim="first", causes=["timer", "external"])
    yield
    n = jobs()
    s.went_on("more jobs are done", lambda: jobs() > n + 2)
    s.check("a job was done about every 0.3 s", n >= 2 * s.seconds)
