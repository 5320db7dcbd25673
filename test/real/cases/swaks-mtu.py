# SPDX-License-Identifier: GPL-2.0-or-later
"""swaks waits for the answer to a big mail. A switch port on the way has too small an MTU, so the full packets of the
mail are lost without a word. Small mails arrive."""
import os
import subprocess

from scene import Missing

HELD_OUT = False
NEEDS = {"swaks": "swaks", "aiosmtpd": "python3-aiosmtpd", "ip": "iproute2", "ethtool": "ethtool"}


def play(s):
    near, switch, far = ("shop-%s-%d" % (name, os.getpid()) for name in ("near", "switch", "far"))

    def ip(*words):
        return s.out(["ip", *words])

    def inside(where, *cmd):
        return ["ip", "netns", "exec", where, *cmd]

    for name in near, switch, far:
        if subprocess.run(["ip", "netns", "add", name], stderr=subprocess.DEVNULL, check=False).returncode:
            raise Missing("no network namespaces")
        s.callback(ip, "netns", "del", name)
    ip("-n", switch, "link", "add", "br0", "type", "bridge")
    for name, port, address in (near, "p1", "10.213.0.1/24"), (far, "p2", "10.213.0.2/24"):
        ip("link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", port, "netns", switch)
        ip("-n", switch, "link", "set", port, "master", "br0", "up")
        ip("-n", name, "addr", "add", address, "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        ip("-n", name, "link", "set", "lo", "up")
        s.out(inside(name, "ethtool", "-K", "eth0", "tso", "off", "gso", "off", "gro", "off"))
    ip("-n", switch, "link", "set", "br0", "up")
    s.start("server", inside(far, "aiosmtpd", "-n", "-l", "10.213.0.2:2525", "-c", "aiosmtpd.handlers.Sink"))
    with open(s.path("big"), "w", encoding="ascii") as f:
        f.write("tea and oil\n" * 2000)

    def mail(body):
        return inside(near, "swaks", "--server", "10.213.0.2:2525", "--from", "anna@shop.test", "--to", "otto@b.test",
                      "--helo", "shop.test", "--timeout", "100", "--body", body)

    s.wait("the server listens", lambda: ":2525" in s.out(inside(far, "ss", "-ltnH")))
    s.wait("a big mail arrives", lambda: "250" in s.out(mail("@" + s.path("big"))))
    ip("-n", switch, "link", "set", "p2", "mtu", "1280")

    s.begin()
    victim = s.start("victim", mail("@" + s.path("big")))

    def connections(where, what):
        return s.out(inside(where, "ss", "-tinHO", "state", "established", what)).splitlines()

    def bytes_in(where, column, what):
        return sum(int(r.split()[column]) for r in connections(where, what))

    s.wait("the mail is not acknowledged", lambda: bytes_in(near, 1, "dport = :2525") > 1000)
    s.during("the mail is sent again and again, and not acknowledged", lambda: bytes_in(near, 1, "dport = :2525") > 1000
             and any("retrans:" in r for r in connections(near, "dport = :2525")))
    s.during("the server has read all that arrived, and waits", lambda: bytes_in(far, 0, "sport = :2525") == 0
             and s.state("server") == "S" and s.syscall("server") == "epoll_wait")
    s.during("the victim has asked to send the mail", lambda: victim.poll() is None and s.state("victim") == "S"
             and "354" in s.output("victim"))
    s.during("a small mail arrives", lambda: "250" in s.out(mail("tea"), timeout=8))
    s.hang(victim="victim", culprits=["victim", "server"], causes=["network"])
    yield
    ip("-n", switch, "link", "set", "p2", "mtu", "1500")
    s.ended("victim")
    s.check("the server took the mail", "221" in s.output("victim"))
