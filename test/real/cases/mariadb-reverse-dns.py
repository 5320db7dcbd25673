# SPDX-License-Identifier: GPL-2.0-or-later
"""A client waits for the greeting of MariaDB. The server first asks DNS for the client's name. A firewall (nftables) drops the
question, so the name server does not get it. All this is in a network of its own."""
import os
import re

from scene import Missing, proc

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client",
         "unbound": "unbound", "nft": "nftables", "ip": "iproute2", "unshare": "util-linux", "nsenter": "util-linux",
         "dig": "bind9-dnsutils"}
HERE, DNS = "10.213.78.5", "10.213.78.53"
UNBOUND = """server:
 interface: %(dns)s
 access-control: 10.0.0.0/8 allow
 username: ""
 chroot: ""
 directory: "%(where)s"
 pidfile: ""
 use-syslog: no
 do-daemonize: no
 local-data-ptr: "%(here)s shop.test"
 local-data: "shop.test. A %(here)s"
 do-not-query-localhost: no
remote-control:
 control-enable: no
"""
NETWORK = """
ip link set lo up
ip addr add %s/32 dev lo
ip addr add %s/32 dev lo
mount --bind resolv.conf /etc/resolv.conf
mount --bind nsswitch.conf /etc/nsswitch.conf
echo ready
exec sleep 3600
"""
FIREWALL = """table ip shop {
 chain input { type filter hook input priority 0; policy accept; udp dport 53 counter drop; tcp dport 53 drop; }
}
"""


def play(s):
    data, sock = s.path("data"), s.path("sock")
    words = {"dns": DNS, "here": HERE, "where": s.where}
    for name, text in ("unbound.conf", UNBOUND % words), ("network", NETWORK % (HERE, DNS)), \
            ("resolv.conf", "nameserver %s\n" % DNS), ("nsswitch.conf", "hosts: dns\n"), ("firewall", FIREWALL):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("network", ["unshare", "-n", "-m", "sh", "network"])
    s.wait("the network is ready", lambda: "ready" in s.output("network"))
    inside = ["nsenter", "-t", s.pid("network"), "-n", "-m", "--wd=" + s.where]
    s.start("unbound", [*inside, "unbound", "-d", "-c", s.path("unbound.conf")])

    def ask():
        return s.out([*inside, "dig", "+short", "+time=1", "+tries=1", "@" + DNS, "-x", HERE])

    def asked():
        return ask() == "shop.test."

    s.wait("the name server listens", lambda: DNS + ":53" in s.out([*inside, "ss", "-lunH"]))
    s.check("the name server answers", asked())
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", [*inside, "mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--bind-address=" + HERE, "--port=3306", "--host-cache-size=0",
                         "--connect-timeout=60"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-u", "root"]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out([*client, "-S", sock, "-e", "create user shop@'%'"])
    tcp = [*inside, "mariadb", "--no-defaults", "-N", "-B", "-u", "shop", "-h", HERE, "-e", "select 17"]
    s.check("a query works", s.out(tcp) == "17")
    try:
        s.out([*inside, "nft", "-f", s.path("firewall")])
    except Exception as e:
        raise Missing("no nftables: %s" % e) from None

    def dropped():
        return int(re.search(r"counter packets (\d+)", s.out([*inside, "nft", "list", "table", "ip", "shop"])).group(1))

    s.check("nothing is dropped yet", dropped() == 0)
    before = set(s.threads("mariadbd"))

    s.begin()
    victim = s.start("victim", tcp)
    s.wait("the question is dropped", lambda: dropped() > 0)

    def asking():
        """The thread of mariadbd that waits for the answer of the name server."""
        peers = s.out([*inside, "ss", "-unpH", "dst", DNS])
        assert "pid=%d," % s.pid("mariadbd") in peers, peers
        return [t for t in s.threads("mariadbd") if proc(s.pid("mariadbd"), "syscall", t).split()[0] == "7" and
                (t not in before or proc(s.pid("mariadbd"), "wchan", t) != "0") and t != s.pid("mariadbd")]

    s.wait("one thread asks", lambda: len(asking()) == 1)
    s.role("thread", s.pid("mariadbd"), asking()[0])
    s.during("a thread of mariadbd waits for the name server", lambda: asking() == [s.roles["thread"][1]])
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the name server waits for questions", lambda: s.state("unbound") == "S" and not s.uses_cpu("unbound", 0.1, 0.1))
    s.during("a query without TCP works", lambda: s.out([*client, "-S", sock, "-e", "select 18"], timeout=5) == "18")
    s.hang(victim="victim", culprits=["thread", "mariadbd"], causes=["network"], wrong=["unbound", "network", "test"])
    yield
    s.out([*inside, "nft", "flush", "ruleset"])
    s.ended("victim")  # the server asks again after 5 s, or gives up
    s.check("the query works", s.output("victim").strip() == "17")
    s.check("the name server works", os.path.exists("/proc/%d" % s.pid("unbound")) and asked())
