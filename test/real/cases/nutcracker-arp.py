# SPDX-License-Identifier: GPL-2.0-or-later
"""A shop waits for nutcracker, a proxy for memcached. The memcached is in another network, and works. A wrong entry in the
ARP table sends the question to a station that does not exist."""
import os
import signal
import subprocess

HELD_OUT = False
NEEDS = {"nutcracker": "nutcracker", "memcached": "memcached", "unshare": "util-linux", "nsenter": "util-linux",
         "ip": "iproute2", "ss": "iproute2", "nc": "netcat-openbsd", "perl": "perl"}
SECONDS = 4  # TCP tries again ever more rarely, so a longer hang may end much later
NEAR, FAR = "10.213.78.1", "10.213.78.2"
CONFIG = """cache:
  listen: 127.0.0.1:%s
  hash: fnv1a_64
  distribution: modula
  servers:
   - %s:%s:1
"""
SHOP = """
use IO::Socket::INET;
$| = 1;
my $cache = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $ARGV[0]) or die;
while (my $what = <STDIN>) {
    chomp $what;
    print $cache "get $what\\r\\n";
    my $found = '';
    while (my $line = <$cache>) {
        last if $line =~ /^END/;
        $found .= $line if $line !~ /^VALUE/;
    }
    print "$what: $found\\n";
}
"""


def play(s):
    port, front = s.port(), s.port()
    for name, text in ("shop.pl", SHOP), ("front.yml", CONFIG % (front, FAR, port)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    flags = ["-u", "root", "-p", port, "-U", "0", "-t", "1"]
    server = s.start("server", ["unshare", "-n", "sh", "-c", "ip link set lo up && read go && exec memcached \"$@\"", "sh",
                                "-l", FAR + ",127.0.0.1", *flags], talk=True)
    s.wait("the network is there", lambda: os.readlink("/proc/%d/ns/net" % server.pid) != os.readlink("/proc/self/ns/net") and
           s.syscall("server") == "read")
    s.callback(subprocess.run, ["ip", "link", "del", "ct-arp-near"], stderr=subprocess.DEVNULL, check=False)
    s.out(["ip", "link", "add", "ct-arp-near", "type", "veth", "peer", "name", "ct-arp-far", "netns", server.pid])

    def far(*args):
        return s.out(["nsenter", "-t", server.pid, "-n", *args], timeout=5)

    s.out(["ip", "addr", "add", NEAR + "/30", "dev", "ct-arp-near"])
    s.out(["ip", "link", "set", "ct-arp-near", "up"])
    far("ip", "addr", "add", FAR + "/30", "dev", "ct-arp-far")
    far("ip", "link", "set", "ct-arp-far", "up")
    s.say("server", "go")

    def ask(address, text):
        return ["sh", "-c", "printf '%%s\\r\\nquit\\r\\n' \"$1\" | nc -w 5 %s %s || :" % (address, port), "sh", text]

    s.wait("memcached stores the stock", lambda: "STORED" in far(*ask(FAR, "set stock 0 0 2\r\n17")))
    decoy = s.start("decoy", ["memcached", "-l", "127.0.0.1", *flags])
    s.wait("the decoy listens", lambda: s.connects(port))
    decoy.send_signal(signal.SIGSTOP)
    s.wait("the decoy stops", lambda: s.state("decoy") == "T")
    s.start("nutcracker", ["nutcracker", "-c", s.path("front.yml"), "-s", s.port(), "-a", "127.0.0.1"])
    s.wait("nutcracker listens", lambda: s.connects(front))
    victim = s.start("victim", ["perl", "shop.pl", front], talk=True)
    s.check("the shop has an answer", s.ask("victim", "stock") == "stock: 17")

    def unanswered():
        """The bytes that nutcracker sent, and that the server's TCP has not acknowledged."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dst", "%s:%s" % (FAR, port)]).splitlines()
        return next((int(row.split()[1]) for row in rows if "pid=%d," % s.pid("nutcracker") in row), 0)

    s.check("no question is on its way", unanswered() == 0)
    s.begin()
    s.out(["ip", "neigh", "replace", FAR, "lladdr", "02:00:00:00:00:99", "dev", "ct-arp-near", "nud", "permanent"])
    before = s.output("victim")
    s.say("victim", "stock")
    s.wait("the question is on its way", lambda: unanswered() > 0)
    s.wait("the shop waits", lambda: s.syscall("victim") == "read" and s.state("victim") == "S")
    s.during("the question has not arrived", lambda: unanswered() > 0)
    s.during("the ARP entry is wrong", lambda: "02:00:00:00:00:99" in s.out(["ip", "neigh", "show", FAR]))
    s.during("the shop waits", lambda: s.output("victim") == before and s.syscall("victim") == "read")
    s.during("nutcracker waits", lambda: s.state("nutcracker") == "S" and
             s.syscall("nutcracker") in ("epoll_wait", "epoll_pwait"))
    s.during("the server works", lambda: "17" in far(*ask("127.0.0.1", "get stock")))
    s.during("the decoy is stopped", lambda: s.state("decoy") == "T")
    s.hang(victim="victim", culprits=["nutcracker"], causes=["network"], wrong=["server", "decoy"])
    yield
    s.out(["ip", "neigh", "del", FAR, "dev", "ct-arp-near"])
    s.went_on("the answer comes", lambda: s.output("victim")[len(before):].startswith("stock: 17"))
    victim.stdin.close()
    s.ended("victim")
