# SPDX-License-Identifier: GPL-2.0-or-later
"""dig waits for named, which asks another DNS server for this zone. This server is a dnsmasq that SIGSTOP has stopped.
The dnsmasq of another zone answers."""
import os
import signal

HELD_OUT = False
NEEDS = {"named": "bind9", "dnsmasq": "dnsmasq-base", "dig": "bind9-dnsutils"}
CONFIG = """options {
    directory "%(where)s"; pid-file "%(where)s/named.pid"; session-keyfile "%(where)s/named.key";
    listen-on port %(port)s { 127.0.0.1; }; listen-on-v6 { none; };
    recursion yes; allow-recursion { any; }; dnssec-validation no; resolver-query-timeout 25000;
};
controls { };
zone "shop.example" { type forward; forward only; forwarders { 127.0.0.1 port %(shop)s; }; };
zone "garden.example" { type forward; forward only; forwarders { 127.0.0.1 port %(garden)s; }; };
"""


def play(s):
    ports = {"port": s.port(), "shop": s.port(), "garden": s.port()}
    with open(s.path("named.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % {"where": s.where, **ports})

    def dig(name, port="port"):
        return ["dig", "+short", "+tries=1", "+timeout=30", "@127.0.0.1", "-p", ports[port], name]

    for name, zone in ("dnsmasq", "shop"), ("bystander", "garden"):
        s.start(name, ["dnsmasq", "-k", "-C", "/dev/null", "--user=root", "--port=" + ports[zone],
                       "--listen-address=127.0.0.1", "--bind-interfaces", "--no-resolv", "--no-hosts",
                       "--pid-file=", "--log-facility=-",
                       "--address=/%s.example/10.0.0.7" % zone])
        s.wait("dnsmasq listens", lambda zone=zone: s.connects(ports[zone]))
        s.check("dnsmasq answers", s.out(dig("a.%s.example" % zone, zone)) == "10.0.0.7")
    s.start("named", ["named", "-g", "-n", "1", "-c", s.path("named.conf")])
    s.wait("named runs", lambda: "running" in s.output("named"), 20)
    for zone in "shop", "garden":
        s.check("named has an answer", s.out(dig("b.%s.example" % zone)) == "10.0.0.7")

    s.begin()
    os.kill(s.pid("dnsmasq"), signal.SIGSTOP)
    s.wait("dnsmasq stops", lambda: s.state("dnsmasq") == "T")
    victim = s.start("victim", dig("c.shop.example"))

    def unread():
        return sum(int(row.split()[1]) for row in s.out(["ss", "-unaH", "sport = :" + ports["shop"]]).splitlines())

    s.wait("dnsmasq has a question that it has not read", lambda: unread() > 0)
    s.during("dnsmasq is stopped, and has not read the question", lambda: s.state("dnsmasq") == "T" and unread() > 0)
    s.during("dig waits", lambda: victim.poll() is None and s.output("victim") == "")
    names = iter(range(1000))
    s.during("named answers about the other zone", lambda: s.out(
        dig("d%d.garden.example" % next(names)), timeout=5) == "10.0.0.7")
    s.hang(victim="victim", culprits=["dnsmasq", "test"], causes=["stopped"], vague=["named"], wrong=["bystander"])
    yield
    os.kill(s.pid("dnsmasq"), signal.SIGCONT)
    s.ended("victim")
    s.check("dig has the address", s.output("victim").strip() == "10.0.0.7")
