# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: monit looks after a web server, a file and a file system, and sleeps for a second between two rounds."""
import os

HELD_OUT = True
NEEDS = {"monit": "monit", "python3": "python3"}
RC = """set daemon 1
set pidfile %(where)s/monit.pid
set idfile %(where)s/monit.id
set statefile %(where)s/monit.state
set log %(where)s/log
set httpd unixsocket %(where)s/sock allow localhost
check process web with pidfile %(where)s/web.pid
 if failed port %(port)s protocol http request "/hours" then alert
check file hours with path %(where)s/pages/hours
 if size > 1 MB then alert
check filesystem disk with path /
check program true with path "/bin/true"
 if status != 0 then alert
"""


def play(s):
    port = s.port()
    os.mkdir(s.path("pages"))
    with open(s.path("pages/hours"), "w", encoding="ascii") as f:
        f.write("open\n")
    web = s.start("web", ["python3", "-m", "http.server", "--bind", "127.0.0.1", "-d", s.path("pages"), port])
    s.wait("the web server listens", lambda: s.connects(port))
    with open(s.path("web.pid"), "w", encoding="ascii") as f:
        f.write(str(web.pid))
    with open(s.path("monitrc"), "w", encoding="ascii") as f:
        f.write(RC % {"where": s.where, "port": port})
    os.chmod(s.path("monitrc"), 0o600)
    s.start("monit", ["monit", "-I", "-c", s.path("monitrc")])

    def summary():
        return s.out(["monit", "-c", s.path("monitrc"), "-B", "summary"])

    def rounds():
        return s.output("web").count("GET /hours")

    s.wait("monit has looked", lambda: rounds() > 2 and summary().count(" OK ") >= 5)

    s.begin()
    s.during("all is well", lambda: summary().count(" OK ") >= 5)
    s.during("monit sleeps most of the time", lambda: not s.uses_cpu("monit", 0.3))
    seen = [rounds()]

    def goes_on():
        s.wait("monit looks again", lambda: rounds() > seen[0], 4)
        seen[0] = rounds()
        return True

    s.during("monit looks again and again", goes_on)
    s.normal(victim="monit", causes=["timer"])
    yield
    n = rounds()
    s.went_on("monit looks again", lambda: rounds() > n)
