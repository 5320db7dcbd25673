# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for nginx, which looks up the name of its upstream server in dnsmasq. dnsmasq asks a name server that answers
late: it first sleeps."""
import signal

HELD_OUT = False
NEEDS = {"nginx": "nginx", "dnsmasq": "dnsmasq-base", "curl": "curl", "python3": "python3", "dig": "bind9-dnsutils"}
# Answers the question about shop.test late, and all other ones at once.
NAMES = """
import signal, socket, sys, time
class Wake(Exception):
    pass
def wake(*_):
    raise Wake
signal.signal(signal.SIGUSR1, wake)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", int(sys.argv[1])))
print("ready", flush=True)
late = True
while True:
    ask, who = s.recvfrom(4096)
    end = 12
    while ask[end]:
        end += 1 + ask[end]
    end += 5
    if b"\\4shop\\4test" in ask.lower() and late:
        print("asked", flush=True)
        try:
            time.sleep(1000)
        except Wake:
            late = False
        print("answers", flush=True)
    flags = b"\\x81\\x80\\0\\1\\0\\1\\0\\0\\0\\0"
    s.sendto(ask[:2] + flags + ask[12:end] + b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4\\x7f\\0\\0\\1", who)
"""
NGINX = """worker_processes 1; daemon off; pid %(where)s/pid; user root; events {}
http { access_log off; %(temp)s resolver 127.0.0.1:%(dns)s ipv6=off; resolver_timeout 60s;
server { listen 127.0.0.1:%(back)s; location / { return 200 page; } }
server { listen 127.0.0.1:%(front)s; location = /hours { return 200 open; }
location ~ ^/(.*)$ { set $shop $1.test; proxy_pass http://$shop:%(back)s/; } } }
"""


def play(s):
    front, back, dns, upstream = s.port(), s.port(), s.port(), s.port()
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    words = {"where": s.where, "temp": temp, "dns": dns, "back": back, "front": front}
    for name, text in ("names.py", NAMES), ("nginx.conf", NGINX % words):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("upstream", ["/usr/bin/python3", "names.py", upstream])
    s.wait("the name server is ready", lambda: "ready" in s.output("upstream"))
    s.start("dns", ["dnsmasq", "-k", "-C", "/dev/null", "-p", dns, "-a", "127.0.0.1", "-z", "-R", "-h", "-u", "root", "-x",
                    s.path("dnsmasq.pid"), "-A", "/near.test/127.0.0.1", "-S", "127.0.0.1#" + upstream])

    def ask(name):
        return s.out(["dig", "+short", "+time=2", "+tries=1", "-p", dns, "@127.0.0.1", name])

    s.wait("dnsmasq answers", lambda: ask("near.test") == "127.0.0.1")
    s.check("dnsmasq knows other names from the name server", ask("blog.test") == "127.0.0.1")
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(front))
    s.role("web", s.child("nginx"))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (front, page)]

    s.check("a page comes", s.out(get("blog")) == "page")

    s.begin()
    victim = s.start("victim", get("shop"))
    s.wait("the name server has the question", lambda: "asked" in s.output("upstream"))
    s.during("the name server sleeps", lambda: "answers" not in s.output("upstream") and
             s.syscall("upstream") in ("clock_nanosleep", "nanosleep", "select", "pselect6"))
    s.during("dnsmasq answers others", lambda: ask("near.test") == "127.0.0.1")
    s.during("nginx answers others", lambda: s.out(get("hours"), timeout=5) == "open")
    s.during("nobody computes", lambda: not any(s.uses_cpu(r, 0.3, 0.1) for r in ("web", "dns", "upstream")))
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["upstream"], causes=["timer", "slow-peer", "external"], vague=["dns"], stuck=["web"],
           wrong=["nginx", "test"])
    yield
    s.processes["upstream"][0].send_signal(signal.SIGUSR1)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page")
