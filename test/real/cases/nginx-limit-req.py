# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for nginx, which delays the request with its own timer: limit_req lets three requests a minute go to
the application, and another request came just before."""
HELD_OUT = False
SECONDS = 8
NEEDS = {"nginx": "nginx", "node": "nodejs", "curl": "curl"}
APP = """
const http = require('http');
http.createServer((ask, answer) => answer.end('page')).listen(%s, '127.0.0.1', () => console.log('listens'));
"""
NGINX = """worker_processes 1; daemon off; pid %(where)s/pid; user root; error_log log notice; events {}
http { access_log off; %(temp)s limit_req_zone $server_name zone=login:1m rate=3r/m;
server { server_name shop; listen 127.0.0.1:%(port)s; location = /hours { return 200 open; }
location /stock { proxy_pass http://127.0.0.1:%(app)s; }
location /login { limit_req zone=login burst=5; proxy_pass http://127.0.0.1:%(app)s; } } }
"""


def play(s):
    port, app = s.port(), s.port()
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    for name, text in ("app.js", APP % app), ("nginx.conf", NGINX % {"where": s.where, "temp": temp, "port": port, "app": app}):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("app", ["node", s.path("app.js")])
    s.wait("node listens", lambda: "listens" in s.output("app"))
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(port))
    s.role("web", s.child("nginx"))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    def log():
        with open(s.path("log"), encoding="utf-8") as f:
            return f.read()

    s.check("a page comes", s.out(get("stock")) == "page")
    s.check("the first login comes", s.out(get("login")) == "page" and "delaying" not in log())

    s.begin()
    victim = s.start("victim", get("login"))
    s.wait("nginx delays the request", lambda: 'delaying request, excess: ' in log() and 'zone "login"' in log())
    s.during("nginx has delayed one request", lambda: log().count("delaying request") == 1)
    s.during("nginx sleeps", lambda: s.syscall("web") == "epoll_wait" and not s.uses_cpu("web", 0.1, 0.2))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("nginx and node answer others", lambda: s.out(get("hours"), timeout=5) == "open" and
             s.out(get("stock"), timeout=5) == "page")
    s.hang(victim="victim", culprits=["web"], causes=["timer"], vague=["nginx"], wrong=["app", "test"])
    yield
    s.wait("the delay of 20 s ends", lambda: victim.poll() is not None, 25)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page")
