# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli GET waits for the answer of a redis-server that SIGSTOP has stopped."""
import signal

HELD_OUT = False
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools"}


def play(s):
    port = s.port()
    server = s.start("server", ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.where])
    s.wait("redis-server answers", lambda: s.connects(port))
    s.out(["redis-cli", "-p", port, "SET", "stock", "17"])
    s.start("bystander", ["redis-cli", "-p", port, "SUBSCRIBE", "news"])
    s.wait("the bystander has subscribed", lambda: "subscribe" in s.output("bystander"))

    s.begin()
    server.send_signal(signal.SIGSTOP)
    s.wait("redis-server stops", lambda: s.state("server") == "T")
    victim = s.start("victim", ["redis-cli", "-p", port, "GET", "stock"])
    s.wait("the client waits", lambda: s.state("victim") == "S")
    s.during("redis-server is stopped", lambda: s.state("server") == "T")
    s.during("the client waits for an answer", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("read", "recvfrom", "poll"))
    s.during("the client is connected", lambda: ":%s" % port in s.out(["ss", "-tnpH", "state", "established", "dport = :" + port]))
    s.hang(victim="victim", culprits=["server", "test"], causes=["stopped"], wrong=["bystander"])
    yield
    server.send_signal(signal.SIGCONT)
    s.ended("victim")
    s.check("the client has its answer", s.output("victim").strip() == "17")
