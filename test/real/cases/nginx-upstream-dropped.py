# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for nginx, which waits for a connection to its node server. A new rule of the firewall (nftables) drops the SYNs,
so node does not get them. All this is in a network of its own."""
import re

from scene import Missing

HELD_OUT = False
NEEDS = {"nginx": "nginx", "node": "nodejs", "curl": "curl", "nft": "nftables", "ip": "iproute2", "ss": "iproute2",
         "unshare": "util-linux", "nsenter": "util-linux"}
APP, PORT, ADMIN_PORT = "10.213.79.2", 8080, 8081
NETWORK = """
ip link set lo up
ip addr add %s/32 dev lo
echo ready
exec sleep 3600
"""
NODE = """
const http = require('http');
for (const port of [%d, %d])
    http.createServer((ask, answer) => answer.end('page')).listen(port, '%s', () => console.log('listens'));
"""
FIREWALL = """table ip shop {
 chain input { type filter hook input priority 0; policy accept; tcp dport %d counter drop; }
}
"""
NGINX = """worker_processes 1; daemon off; pid %(where)s/pid; user root; events {}
http { access_log off; %(temp)s server { listen 127.0.0.1:80; location = /hours { return 200 open; }
location / { proxy_pass http://%(app)s:%(port)d; } } }
"""


def play(s):
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    words = {"where": s.where, "temp": temp, "app": APP, "port": PORT}
    for name, text in ("network", NETWORK % APP), ("app.js", NODE % (PORT, ADMIN_PORT, APP)), ("firewall", FIREWALL % PORT), \
            ("nginx.conf", NGINX % words):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("network", ["unshare", "-n", "sh", "network"])
    s.wait("the network is ready", lambda: "ready" in s.output("network"))
    inside = ["nsenter", "-t", s.pid("network"), "-n"]
    s.start("app", [*inside, "node", s.path("app.js")])
    s.wait("node listens", lambda: s.output("app").count("listens") == 2)
    s.start("nginx", [*inside, "nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])

    def get(page, host="127.0.0.1"):
        return [*inside, "curl", "-sS", "http://%s/%s" % (host, page)]

    s.wait("nginx listens", lambda: s.out([*inside, "ss", "-ltnH", "sport = :80"]))
    s.check("a page comes", s.out(get("order")) == "page")
    s.role("web", s.child("nginx"))
    try:
        s.out([*inside, "nft", "-f", s.path("firewall")])
    except Exception as e:
        raise Missing("no nftables: %s" % e) from None

    def dropped():
        return int(re.search(r"counter packets (\d+)", s.out([*inside, "nft", "list", "table", "ip", "shop"])).group(1))

    def connecting():
        rows = s.out([*inside, "ss", "-tnpH", "state", "syn-sent", "dport = :%d" % PORT]).splitlines()
        return len(rows) == 1 and "pid=%d," % s.pid("web") in rows[0]

    s.begin()
    victim = s.start("victim", get("order"))
    s.wait("nginx tries to connect", lambda: connecting() and dropped() > 0)
    s.during("nginx tries to connect, and the firewall drops its SYNs", lambda: connecting() and dropped() > 0)
    s.during("node is idle, and answers at another port", lambda: not s.uses_cpu("app", 0.2, 0.2) and
             s.out(get("", "%s:%d" % (APP, ADMIN_PORT)), timeout=5) == "page")
    s.during("nginx answers others", lambda: s.out(get("hours"), timeout=5) == "open")
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["web"], causes=["network", "external", "slow-peer"], vague=["nginx"],
           wrong=["app", "network", "test"])
    yield
    s.out([*inside, "nft", "flush", "ruleset"])
    s.ended("victim")  # with the next SYN
    s.check("the page came", s.output("victim") == "page")
