# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: wget gets a big file from nginx, slowly on purpose (--limit-rate). wget sleeps between the parts of the file."""
import os

HELD_OUT = False
NEEDS = {"wget": "wget", "nginx": "nginx"}
CONFIG = """worker_processes 1; daemon off; pid %(where)s/pid; user root; events {}
http { access_log off; %(temp)s server { listen 127.0.0.1:%(port)s; root %(where)s/pub; } }
"""


def play(s):
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    words = {"where": s.where, "port": s.port(), "temp": temp}
    os.mkdir(s.path("pub"))
    with open(s.path("pub/film"), "wb") as f:
        f.truncate(200 << 20)
    with open(s.path("nginx.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % words)
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(words["port"]))
    s.start("wget", ["wget", "-nv", "--limit-rate=2m", "-O", "film", "http://127.0.0.1:%s/film" % words["port"]])

    def got():
        return os.path.getsize(s.path("film")) if os.path.exists(s.path("film")) else 0

    s.wait("the film comes", lambda: got() > 1 << 20)

    s.begin()
    first, seen = got(), [0]

    def goes_on():
        before = max(seen[0], got())
        s.wait("more of the film comes", lambda: got() > before, 2)
        seen[0] = got()
        return True

    s.during("the film comes", goes_on)
    s.during("wget does not compute", lambda: not s.uses_cpu("wget", 0.3, 0.2))
    s.normal(victim="wget", causes=["timer"])
    yield
    rate = (got() - first) / s.seconds
    s.check("the rate is as its user wants, not %d" % rate, 1 << 20 < rate < 3 << 20)
    n = got()
    s.went_on("more comes", lambda: got() > n)
