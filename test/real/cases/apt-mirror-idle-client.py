# SPDX-License-Identifier: GPL-2.0-or-later
"""apt-get update waits for its method http, which waits for the mirror of the company. The mirror serves one client
at a time, and the client that it serves, an nc, sends no request: it waits for its user."""
import os
import re

from scene import descendants, proc

HELD_OUT = True
NEEDS = {"apt-get": "apt", "nc": "netcat-openbsd", "python3": "python3", "ss": "iproute2"}
MIRROR = """
import http.server, sys
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()
"""
APT = """
Dir "%(where)s/apt/";
Dir::State::status "%(where)s/apt/status";
Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d/";
Acquire::Languages "none";
Acquire::http::Proxy "false";
Acquire::http::Timeout "120";
APT::Sandbox::User "root";
"""


def play(s):
    mirror, second = s.port(), s.port()
    os.makedirs(s.path("www/shop"))
    for name in "etc/apt", "var/lib/apt/lists/partial", "var/cache/apt/archives/partial":
        os.makedirs(s.path("apt/" + name))
    for name, text in ("mirror.py", MIRROR), ("apt.conf", APT % {"where": s.where}), ("apt/status", ""), \
            ("www/shop/Packages", ""), ("www/shop/Release", "Suite: stable\n"), \
            ("apt/etc/apt/sources.list", "deb [trusted=yes] http://127.0.0.1:%s/shop ./\n" % mirror):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    for role, port in ("mirror", mirror), ("second", second):
        s.start(role, ["python3", s.path("mirror.py"), port], cwd=s.path("www"))
        s.wait("the mirror listens", lambda port=port: s.connects(port))
    apt = ["env", "APT_CONFIG=" + s.path("apt.conf"), "apt-get", "-q", "update"]
    s.check("apt-get gets the list", "127.0.0.1:%s" % mirror in s.out(apt))

    def sockets():
        return s.out(["ss", "-tnpH", "state", "established"]).splitlines()

    def of(role, *words):
        return [x for x in sockets() if "pid=%d," % s.pid(role) in x and all(w in x for w in words)]

    idle = s.start("idle", ["nc", "127.0.0.1", mirror], talk=True)
    s.wait("the mirror serves the idle client", lambda: len(of("mirror")) == len(of("idle")) == 1)
    s.wait("the mirror waits for a request", lambda: s.syscall("mirror") in ("recvfrom", "read"))

    def held():
        """The one connection of the mirror is the one of the idle client."""
        own = re.search(r"127\.0\.0\.1:(\d+) ", of("idle")[0]).group(1)
        return len(of("mirror")) == 1 and re.search(r":%s\b" % own, of("mirror")[0])

    s.begin()
    victim = s.start("victim", apt)

    def method():
        """apt-get starts each method twice: first to ask what it can do."""
        lines = s.out(["ss", "-tnpH", "dport", "=", ":" + mirror])
        return next((p for p in descendants(victim.pid)
                     if proc(p, "comm") == "http\n" and "pid=%d," % p in lines), None)

    s.wait("the method is connected with the mirror", method)
    s.role("method", method())
    s.during("the mirror serves the idle client only", held)
    s.during("the mirror waits for its request", lambda: s.syscall("mirror") in ("recvfrom", "read"))
    s.during("the idle client waits for its user",
             lambda: s.state("idle") == "S" and s.syscall("idle") in ("poll", "ppoll"))
    s.during("the method waits for the mirror", lambda: method() == s.pid("method") and s.state("method") == "S")
    s.during("apt-get waits", lambda: victim.poll() is None and s.state("victim") == "S")
    get = "import urllib.request as u; print(u.urlopen('http://127.0.0.1:%s/shop/Release').read())" % second
    s.during("another mirror serves", lambda: "Suite" in s.out(["python3", "-c", get]))
    s.hang(victim="victim", culprits=["idle", "test"], causes=["external", "slow-peer"], vague=["mirror", "method"],
           wrong=["second"])
    yield
    idle.terminate()
    s.ended("victim")
