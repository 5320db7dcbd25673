# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for caddy, which first asks a Python server who the user is. This server asks a redis-server that is stopped."""
import os
import signal

HELD_OUT = False
NEEDS = {"caddy": "caddy", "redis-server": "redis-server", "redis-cli": "redis-tools", "curl": "curl", "python3": "python3",
         "ss": "iproute2"}

CADDY = """{
    admin off
    auto_https off
}
http://127.0.0.1:%(front)s {
    bind 127.0.0.1
    handle /open/* {
        uri strip_prefix /open
        reverse_proxy 127.0.0.1:%(back)s
    }
    handle {
        forward_auth 127.0.0.1:%(auth)s {
            uri /who
        }
        reverse_proxy 127.0.0.1:%(back)s
    }
}
"""
AUTH = """
import http.server, socket, sys

class Auth(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as redis:
            redis.sendall(b"GET user\\r\\n")
            known = b"anna" in redis.recv(100)
        self.send_response(200 if known else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()

http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Auth).serve_forever()
"""


def play(s):
    ports = {name: s.port() for name in ("front", "back", "auth", "redis", "bystander")}
    os.mkdir(s.path("web"))
    for name, text in ("Caddyfile", CADDY % ports), ("auth.py", AUTH), ("web/page", "page"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    for name in "redis", "bystander":
        s.start(name, ["redis-server", "--bind", "127.0.0.1", "--port", ports[name], "--save", "", "--dir", s.where])
    s.start("back", ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", ports["back"]], cwd=s.path("web"))
    s.start("auth", ["/usr/bin/python3", "auth.py", ports["auth"], ports["redis"]])
    s.start("caddy", ["caddy", "run", "--config", s.path("Caddyfile"), "--adapter", "caddyfile"],
            env={**os.environ, "HOME": s.where, "XDG_DATA_HOME": s.where, "XDG_CONFIG_HOME": s.where})
    for name, port in ports.items():
        s.wait("%s listens" % name, lambda port=port: s.connects(port))
    s.out(["redis-cli", "-p", ports["redis"], "SET", "user", "anna"])

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (ports["front"], page)]

    s.check("the page comes", s.out(curl("page")) == "page")

    s.begin()
    os.kill(s.pid("redis"), signal.SIGSTOP)
    s.wait("redis-server stops", lambda: s.state("redis") == "T")
    victim = s.start("victim", curl("page"))
    s.wait("the server asks redis-server", lambda: any("pid=%d," % s.pid("auth") in line and ":" + ports["redis"] in line
                                                       for line in s.out(["ss", "-tnpH"]).splitlines()))
    s.during("redis-server is stopped", lambda: s.state("redis") == "T")
    s.during("the server waits for redis-server", lambda: any(
        "pid=%d," % s.pid("auth") in line and line.split()[4].endswith(":" + ports["redis"])
        for line in s.out(["ss", "-tnpH"]).splitlines()))
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("caddy and the back end answer", lambda: s.out(curl("open/page"), timeout=5) == "page")
    s.hang(victim="victim", culprits=["redis", "test"], causes=["stopped"], vague=["caddy", "auth"], wrong=["back", "bystander"])
    yield
    os.kill(s.pid("redis"), signal.SIGCONT)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page")
