# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for an aiohttp server, which has no file descriptor left for a new connection, and tries again each second. A
client has opened connections up to this limit, and does not close them."""
import os
import subprocess

from scene import Missing

HELD_OUT = True
NEEDS = {"python3": "python3", "prlimit": "util-linux", "perl": "perl", "curl": "curl", "ss": "iproute2"}
PYTHON = "/usr/bin/python3"
FILES = 48
SHOP = """
import sys
from aiohttp import web

async def hello(request):
    return web.Response(text="hello")

shop = web.Application()
shop.router.add_get("/{page}", hello)
web.run_app(shop, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
# Keeps each connection.
CLIENT = r"""
use IO::Socket::INET;
$| = 1;
my @kept;
print "ready\n";
while (<STDIN>) {
    my $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ARGV[0]") or die;
    print $c "GET /hello HTTP/1.1\r\nHost: shop\r\n\r\n";
    push @kept, $c;
    print "kept\n";
}
"""


def play(s):
    if subprocess.run([PYTHON, "-c", "import aiohttp"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package python3-aiohttp")
    for name, text in ("shop.py", SHOP), ("client.pl", CLIENT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    ports = {"server": s.port(), "bystander": s.port()}

    def get(name):
        return ["curl", "-sS", "--noproxy", "*", "-m", "60", "http://127.0.0.1:%s/page" % ports[name]]

    for name, port in ports.items():
        s.start(name, ["prlimit", "--nofile=%d" % FILES, "--", PYTHON, "-B", "shop.py", port])
        s.wait("the server listens", lambda port=port: s.connects(port), 20)
        s.check("the server answers", s.out(get(name)) == "hello")
    for role, name in ("client", "server"), ("other_client", "bystander"):
        s.start(role, ["perl", "client.pl", ports[name]], talk=True)
        s.wait("the client is ready", lambda role=role: "ready" in s.output(role))
        s.check("it has a connection", s.ask(role, "one") == "kept")

    def files():
        return len(os.listdir("/proc/%d/fd" % s.pid("server")))

    def full():
        return files() == FILES and "out of system resource" in s.output("server")

    for _ in range(FILES):
        if not full():
            s.check("it has one more connection", s.ask("client", "one") == "kept")
    s.wait("the server has no file descriptor left", full)

    s.begin()
    victim = s.start("victim", get("server"))

    def waiting():
        """How many connections wait for the server to accept them."""
        return int(s.out(["ss", "-ltnH", "sport = :" + ports["server"]]).split()[1])

    s.wait("curl is connected", lambda: s.syscall("victim") in ("poll", "ppoll") and waiting() > 0)
    s.during("the server has no file descriptor left", lambda: files() == FILES)
    s.during("connections wait for the server", lambda: waiting() > 0 and victim.poll() is None)
    s.during("the server mostly sleeps", lambda: not s.uses_cpu("server", 0.5, 1))
    s.during("the client waits for a line", lambda: s.syscall("client") == "read")
    s.during("the other server answers", lambda: s.out(get("bystander"), timeout=10) == "hello")
    s.hang(victim="victim", culprits=["server", "client"], causes=["polling", "timer", "queueing", "external", "slow-peer"],
           wrong=["bystander", "other_client", "test"])
    yield
    s.check("the server has tried again", s.output("server").count("out of system resource") > 1)
    s.processes["client"][0].stdin.close()
    s.ended("client")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "hello")
