# SPDX-License-Identifier: GPL-2.0-or-later
"""A GET waits while a Lua script keeps redis-server busy. A stopped redis-server in another network has the same port."""
import os
import signal

HELD_OUT = False
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "unshare": "util-linux", "ip": "iproute2"}
LOOP = "for i = 1, %d do end; return 'looped'"
TRIAL = 20000000


def play(s):
    port = s.port()
    flags = ["--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.where, "--lua-time-limit", "60000"]
    server = s.start("server", ["redis-server", *flags])
    s.wait("redis-server answers", lambda: s.connects(port))
    s.out(["redis-cli", "-p", port, "SET", "stock", "17"])
    decoy = s.start("decoy", ["unshare", "-n", "sh", "-c", "ip link set lo up && exec redis-server \"$@\"", "sh", *flags])
    s.wait("the decoy listens", lambda: "Ready to accept" in s.output("decoy"))
    networks = [os.readlink("/proc/%d/ns/net" % p.pid) for p in (server, decoy)]
    s.check("the decoy is in another network", networks[0] != networks[1])
    decoy.send_signal(signal.SIGSTOP)
    s.wait("the decoy stops", lambda: s.state("decoy") == "T")

    began = s.cpu_s("server")
    s.out(["redis-cli", "-p", port, "EVAL", LOOP % TRIAL, "0"])
    turns = int(TRIAL * 7 / max(s.cpu_s("server") - began, 0.01))  # 7 s of CPU time

    s.begin()
    looper = s.start("looper", ["redis-cli", "-p", port, "EVAL", LOOP % turns, "0"])
    s.wait("the script runs", lambda: s.uses_cpu("server", 0.3))
    victim = s.start("victim", ["redis-cli", "-p", port, "GET", "stock"])
    s.wait("the client waits", lambda: s.state("victim") == "S")
    s.during("the script computes", lambda: s.uses_cpu("server", 0.1) and looper.poll() is None)
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the decoy is stopped", lambda: s.state("decoy") == "T")
    s.hang(victim="victim", culprits=["server", "looper"], causes=["busy"], wrong=["decoy"])
    yield
    s.wait("the script ends", lambda: looper.poll() is not None, 30)
    s.ended("victim")
    s.check("the client has its answer", s.output("victim").strip() == "17")
    s.check("the script came to its end", s.output("looper").strip() == "looped")
