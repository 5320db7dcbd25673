# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli waits for an answer of a redis-server in another network. The link (veth) to this network is down."""
import os
import subprocess

from scene import proc

HELD_OUT = True
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "unshare": "util-linux", "ip": "iproute2",
         "nsenter": "util-linux"}
SECONDS = 4  # TCP may try again ever more rarely, so a longer hang may end much later
NEAR, FAR = "10.213.77.1", "10.213.77.2"


def play(s):
    port = s.port()
    flags = ["--port", port, "--save", "", "--dir", s.where, "--protected-mode", "no"]
    server = s.start("server", ["unshare", "-n", "sh", "-c", "ip link set lo up && read go && exec redis-server \"$@\"", "sh",
                                "--bind", FAR, "127.0.0.1", *flags], talk=True)
    s.wait("the network is there", lambda: os.readlink("/proc/%d/ns/net" % server.pid) != os.readlink("/proc/self/ns/net") and
           s.syscall("server") == "read")
    s.callback(subprocess.run, ["ip", "link", "del", "ct-near"], stderr=subprocess.DEVNULL, check=False)
    s.out(["ip", "link", "add", "ct-near", "type", "veth", "peer", "name", "ct-far", "netns", server.pid])

    def far(*args):
        return s.out(["nsenter", "-t", server.pid, "-n", *args])

    s.out(["ip", "addr", "add", NEAR + "/30", "dev", "ct-near"])
    s.out(["ip", "link", "set", "ct-near", "up"])
    far("ip", "addr", "add", FAR + "/30", "dev", "ct-far")
    far("ip", "link", "set", "ct-far", "up")
    s.say("server", "go")
    s.start("bystander", ["redis-server", "--bind", "127.0.0.1", *flags])
    s.wait("the other redis-server answers", lambda: s.connects(port))
    s.wait("the server listens", lambda: "Ready to accept" in s.output("server"))
    victim = s.start("victim", ["redis-cli", "-h", FAR, "-p", port], talk=True)
    s.check("the link works", s.out(["redis-cli", "-h", FAR, "-p", port, "SET", "stock", "17"]) == "OK")
    s.check("the victim has an answer", s.ask("victim", "STRLEN stock").split() == ["2"])

    def unanswered():
        """The bytes that the victim sent, and that the server's TCP has not acknowledged."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dst", "%s:%s" % (FAR, port)]).splitlines()
        return next(int(row.split()[1]) for row in rows if "pid=%d," % victim.pid in row)

    def waits_for():
        """The file that the victim reads."""
        v = proc(victim.pid, "syscall").split()
        return os.readlink("/proc/%d/fd/%d" % (victim.pid, int(v[1], 16))) if v[0] in ("0", "45") else ""

    s.begin()
    far("ip", "link", "set", "ct-far", "down")
    s.say("victim", "GET stock")
    s.wait("the question is on its way", lambda: unanswered() > 0)
    s.wait("the victim waits", lambda: s.state("victim") == "S" and waits_for().startswith("socket:"))
    s.during("the question has not arrived", lambda: unanswered() > 0)
    s.during("the link is down", lambda: "state DOWN" in far("ip", "-o", "link", "show", "ct-far"))
    s.during("the victim waits for its socket", lambda: victim.poll() is None and s.state("victim") == "S" and
             waits_for().startswith("socket:"))
    s.during("the server works", lambda: far("redis-cli", "-h", "127.0.0.1", "-p", port, "PING") == "PONG")
    s.hang(victim="victim", culprits=["victim"], causes=["network"], wrong=["server", "bystander"])
    yield
    far("ip", "link", "set", "ct-far", "up")
    s.went_on("the answer comes", lambda: "17" in s.output("victim"))
    victim.stdin.close()
    s.ended("victim")
