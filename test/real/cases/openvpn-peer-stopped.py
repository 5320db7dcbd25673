# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli asks a redis-server through a tunnel of two openvpn processes. SIGSTOP has stopped the one at the
far end."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"openvpn": "openvpn", "redis-server": "redis-server", "redis-cli": "redis-tools", "ip": "iproute2",
         "unshare": "util-linux", "nsenter": "util-linux", "ss": "iproute2"}
ENDS = {"near": ("10.213.78.1", "10.99.7.1"), "far": ("10.213.78.2", "10.99.7.2")}  # on the wire, in the tunnel
START = 'ip link set lo up && read go && exec "$@"'


def play(s):
    def at(end, *cmd):
        return ["nsenter", "-t", s.pid(end), "-n", *cmd]

    for end, peer in ("near", "far"), ("far", "near"):
        vpn = ["openvpn", "--dev", "tun", "--proto", "udp", "--local", ENDS[end][0], "--remote", ENDS[peer][0],
               "--port", "1194", "--ifconfig", ENDS[end][1], ENDS[peer][1], "--cipher", "none",
               "--auth", "none", "--cd", s.where]
        s.start(end, ["unshare", "-n", "sh", "-c", START, "sh", *vpn], talk=True)
        s.wait("the network is there", lambda end=end: s.syscall(end) == "read" and
               os.readlink("/proc/%d/ns/net" % s.pid(end)) != os.readlink("/proc/self/ns/net"))
    s.out(["ip", "link", "add", "wire", "netns", s.pid("near"), "type", "veth", "peer", "name", "wire",
           "netns", s.pid("far")])
    for end, (address, _) in ENDS.items():
        s.out(at(end, "ip", "addr", "add", address + "/30", "dev", "wire"))
        s.out(at(end, "ip", "link", "set", "wire", "up"))
    for end in ENDS:
        s.say(end, "go")
    for end in ENDS:
        s.wait("the tunnel is there", lambda end=end: "Initialization Sequence Completed" in s.output(end))
    s.start("redis", at("far", "redis-server", "--bind", "0.0.0.0", "--protected-mode", "no", "--save", "",
                        "--dir", s.where))
    s.wait("redis-server listens", lambda: "Ready to accept" in s.output("redis"))
    s.check("the tunnel works", s.out(at("near", "redis-cli", "-h", ENDS["far"][1], "SET", "stock", "17")) == "OK")
    victim = s.start("victim", at("near", "redis-cli", "-h", ENDS["far"][1]), talk=True)
    s.check("the victim has an answer", s.ask("victim", "STRLEN stock").split()[-1] == "2")

    def unread():
        """The bytes that the far openvpn has received, and not read."""
        return int(s.out(at("far", "ss", "-unaH", "sport = :1194")).split()[1])

    def unanswered():
        """The bytes that the victim sent, and that redis-server's TCP has not acknowledged."""
        rows = s.out(at("near", "ss", "-tnpH", "state", "established", "dport = :6379")).splitlines()
        return next(int(row.split()[1]) for row in rows if "pid=%d," % victim.pid in row)

    s.begin()
    os.kill(s.pid("far"), signal.SIGSTOP)
    s.wait("the far openvpn stops", lambda: s.state("far") == "T")
    s.say("victim", "GET stock")
    s.wait("the question is at the far openvpn", lambda: unread() > 0 and unanswered() > 0)
    s.during("the far openvpn is stopped, and has not read the question", lambda: s.state("far") == "T" and
             unread() > 0)
    s.during("the question has no answer", lambda: unanswered() > 0 and "17" not in s.output("victim"))
    s.during("the near openvpn waits for packets", lambda: s.state("near") == "S" and
             s.syscall("near") in ("poll", "epoll_wait"))
    s.during("redis-server works", lambda: s.out(at("far", "redis-cli", "PING"), timeout=5) == "PONG")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             proc(victim.pid, "comm") == "redis-cli\n")
    s.hang(victim="victim", culprits=["far", "test"], causes=["stopped"], vague=["near", "victim"], wrong=["redis"])
    yield
    os.kill(s.pid("far"), signal.SIGCONT)
    s.went_on("the answer comes", lambda: "17" in s.output("victim"))
    victim.stdin.close()
    s.ended("victim")
