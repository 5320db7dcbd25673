# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: svlogd waits for the log of a service, which writes a line at times. Other services of runit idle."""
import os
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"runsvdir": "runit", "runsv": "runit", "sv": "runit", "svlogd": "runit", "perl": "perl"}

SERVICES = {
    "web": "$| = 1; while (1) { $x += $_ for 1 .. 100000; print qq(page\\n); select(undef, undef, undef, 0.4) }",
    "cron": "$| = 1; while (1) { print qq(looks\\n); sleep 3600 }",
}


def play(s):
    base, logs = s.path("service"), {name: s.path("log-" + name) for name in SERVICES}
    for name, text in SERVICES.items():
        os.makedirs(os.path.join(base, name, "log"))
        os.mkdir(logs[name])
        with open(s.path(name + ".pl"), "w", encoding="ascii") as f:
            f.write(text)
        for run, cmd in ("run", "perl " + s.path(name + ".pl")), ("log/run", "svlogd " + logs[name]):
            run = os.path.join(base, name, run)
            with open(run, "w", encoding="ascii") as f:
                f.write("#!/bin/sh\nexec %s\n" % cmd)
            os.chmod(run, 0o755)
    s.start("runsvdir", ["runsvdir", "-P", base], stop=signal.SIGHUP)

    def lines(name):
        with open(os.path.join(logs[name], "current"), encoding="ascii") as f:
            return f.read().count("\n")

    for name in SERVICES:
        s.wait("%s has logged" % name, lambda name=name: lines(name) > 0)
        runsv = next(p for p in children(s.pid("runsvdir")) if proc(p, "cmdline").split("\0")[1] == name)
        s.role("runsv_" + name, runsv)
        for pid in children(runsv):
            s.role(("svlogd_" if proc(pid, "comm") == "svlogd\n" else "") + name, pid)

    s.begin()

    def status(name):
        return s.out(["sh", "-c", 'sv status "$0" || :', os.path.join(base, name)])

    def goes_on():
        n = lines("web")
        s.wait("a line comes", lambda: lines("web") > n, 2)
        return True

    s.during("lines come", goes_on)
    s.during("all services and their logs run", lambda: all(status(n).count("run:") == 2 for n in SERVICES))
    s.during("svlogd waits", lambda: [s.state("svlogd_web") for _ in range(9)].count("S") > 4)
    s.normal(victim="svlogd_web", causes=["timer"])
    n = lines("web")
    yield
    s.went_on("more lines come", lambda: lines("web") > n + 2 * s.seconds)
    s.check("cron sleeps", s.state("cron") == "S" and lines("cron") == 1)
