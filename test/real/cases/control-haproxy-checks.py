# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: haproxy has no clients. It asks two Python servers twice a second whether they live, and they answer at once. An
idle client keeps its connection open."""
HELD_OUT = False
NEEDS = {"haproxy": "haproxy", "nc": "netcat-openbsd", "curl": "curl"}
CONFIG = """defaults
 mode http
 timeout connect 60s
 timeout client 300s
 timeout http-request 300s
 timeout http-keep-alive 300s
 timeout server 60s
frontend all
 bind 127.0.0.1:%s
 default_backend shop
backend shop
 option httpchk GET /alive
 default-server inter 500ms
 server one 127.0.0.1:%s check
 server two 127.0.0.1:%s check
"""
SERVER = """
import http.server, sys
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.path, flush=True)
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"page\\n")
    def log_message(self, *a):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
"""


def play(s):
    front, one, two = s.port(), s.port(), s.port()
    for name, text in ("server.py", SERVER), ("haproxy.cfg", CONFIG % (front, one, two)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    for name, port in ("one", one), ("two", two):
        s.start(name, ["/usr/bin/python3", "server.py", port])
        s.wait("%s listens" % name, lambda port=port: s.connects(port))
    s.start("haproxy", ["haproxy", "-db", "-f", s.path("haproxy.cfg")])
    s.wait("haproxy listens", lambda: s.connects(front))
    s.check("a page comes", s.out(["curl", "-sS", "http://127.0.0.1:%s/" % front]) == "page")
    s.start("idle", ["nc", "127.0.0.1", front], talk=True)

    def checks():
        return [s.output(name).count("/alive") for name in ("one", "two")]

    s.wait("the servers are checked", lambda: min(checks()) > 2)

    s.begin()
    first, seen = min(checks()), [0]

    def goes_on():
        before = max(seen[0], min(checks()))
        s.wait("more checks come", lambda: min(checks()) > before, 3)
        seen[0] = min(checks())
        return True

    s.during("the checks come", goes_on)
    s.during("nobody computes", lambda: not any(s.uses_cpu(x, 0.2, 0.1) for x in ("haproxy", "one", "two")))
    s.normal(victim="haproxy", causes=["timer", "external"])
    yield
    s.check("a check came twice a second", min(checks()) - first >= s.seconds)
    s.went_on("pages come", lambda: s.out(["curl", "-sS", "http://127.0.0.1:%s/" % front]) == "page")
