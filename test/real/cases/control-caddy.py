# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: caddy passes four pages a second on to a Python server, and is idle in between."""
import os

HELD_OUT = True
NEEDS = {"caddy": "caddy", "curl": "curl", "python3": "python3"}

CADDY = """{
    admin off
    auto_https off
}
http://127.0.0.1:%(front)s {
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:%(back)s
}
"""


def play(s):
    ports = {name: s.port() for name in ("front", "back")}
    os.mkdir(s.path("web"))
    for name, text in ("Caddyfile", CADDY % ports), ("web/page", "page\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("back", ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", ports["back"]], cwd=s.path("web"))
    s.start("caddy", ["caddy", "run", "--config", s.path("Caddyfile"), "--adapter", "caddyfile"],
            env={**os.environ, "HOME": s.where, "XDG_DATA_HOME": s.where, "XDG_CONFIG_HOME": s.where})
    for name, port in ports.items():
        s.wait("%s listens" % name, lambda port=port: s.connects(port))

    s.begin()
    s.start("client", ["sh", "-c", "while curl -sf http://127.0.0.1:%s/page; do sleep 0.25; done" % ports["front"]])

    def pages():
        return len(s.output("client").split())

    def goes_on():
        n = pages()
        s.wait("a page comes", lambda: pages() > n, 2)
        return True

    s.during("pages come", goes_on)
    s.during("caddy is almost idle", lambda: not s.uses_cpu("caddy", 0.3))
    s.normal(victim="caddy", causes=["timer", "external"])
    yield
    n = pages()
    s.went_on("more pages come", lambda: pages() > n + 2)
    s.check("a page came about every 0.25 s", n >= 2.5 * s.seconds)
