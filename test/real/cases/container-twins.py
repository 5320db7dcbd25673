# SPDX-License-Identifier: GPL-2.0-or-later
"""Two containers have the same programs, ports and pids. In one, redis-cli waits behind haproxy for a stopped redis-server."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"unshare": "util-linux", "nsenter": "util-linux", "ip": "iproute2", "haproxy": "haproxy",
         "redis-server": "redis-server", "redis-cli": "redis-tools"}

HAPROXY = """
defaults
  mode tcp
  timeout connect 60s
  timeout client 60s
  timeout server 60s
listen redis
  bind 127.0.0.1:6379
  server one 127.0.0.1:6380
"""
INIT = """
ip link set lo up
redis-server --bind 127.0.0.1 --port 6380 --save '' --dir /tmp &
haproxy -db -f "$1" &
wait
"""


def play(s):
    for name, text in ("haproxy.cfg", HAPROXY), ("init.sh", INIT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)

    def inside(twin, *cmd):
        """A command line that runs in the container."""
        return ["nsenter", "-t", s.pid("init_" + twin), "-n", "-p", *cmd]

    def in_twin(twin, *cmd):
        return s.out(list(inside(twin, *cmd)), timeout=5)

    def inner_pid(role):
        """The pid inside of the container."""
        return next(line.split()[-1] for line in proc(s.pid(role), "status").splitlines() if line.startswith("NSpid:"))

    for twin in "a", "b":
        s.start("unshare_" + twin, ["unshare", "--net", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child",
                                    "sh", "init.sh", s.path("haproxy.cfg")])
        s.wait("the container runs", lambda twin=twin: s.child("unshare_" + twin, "sh"))
        s.role("init_" + twin, s.child("unshare_" + twin, "sh"))
        for program, role in ("redis-server", "redis_"), ("haproxy", "haproxy_"):
            s.wait("%s runs" % program, lambda twin=twin, program=program: s.child("init_" + twin, program))
            s.role(role + twin, s.child("init_" + twin, program))
        s.wait("redis-server answers", lambda twin=twin: "Ready to accept" in s.output("unshare_" + twin))
        s.wait("haproxy passes on", lambda twin=twin: s.out(
            ["sh", "-c", '"$@" || :', "sh", *inside(twin, "redis-cli", "SET", "stock", "17")]) == "OK")
    for role in "redis_", "haproxy_":
        s.check("the twins have the same pids inside", inner_pid(role + "a") == inner_pid(role + "b"))
    networks = [os.readlink("/proc/%d/ns/net" % pid) for pid in (s.pid("redis_a"), s.pid("redis_b"), os.getpid())]
    s.check("three networks", len(set(networks)) == 3)
    s.start("enter_b", inside("b", "redis-cli", "BLPOP", "jobs", "0"))
    s.wait("it waits", lambda: "blocked_clients:1" in in_twin("b", "redis-cli", "INFO", "clients"))

    s.begin()
    os.kill(s.pid("redis_a"), signal.SIGSTOP)
    s.wait("redis-server stops", lambda: s.state("redis_a") == "T")
    s.start("enter_a", inside("a", "redis-cli", "GET", "stock"))
    s.wait("redis-cli runs", lambda: s.child("enter_a", "redis-cli"))
    s.role("victim", s.child("enter_a", "redis-cli"))
    s.wait("redis-cli waits", lambda: s.syscall("victim") in ("read", "recvfrom", "poll"))

    def unread():
        """How many bytes the stopped redis-server has not read."""
        return sum(int(line.split()[0]) for line in
                   in_twin("a", "ss", "-tnH", "state", "established", "sport = :6380").splitlines())

    s.wait("redis-server has a question", lambda: unread() > 0)
    s.during("redis-server is stopped, and has not read its question", lambda: s.state("redis_a") == "T" and unread() > 0)
    s.during("redis-cli and haproxy wait", lambda: s.state("victim") == s.state("haproxy_a") == "S")
    s.during("both are in the container", lambda: os.readlink("/proc/%d/ns/net" % s.pid("victim")) == networks[0] ==
             os.readlink("/proc/%d/ns/net" % s.pid("haproxy_a")))
    s.during("the twin answers", lambda: in_twin("b", "redis-cli", "GET", "stock") == "17")
    s.hang(victim="victim", culprits=["redis_a", "test"], causes=["stopped"], vague=["haproxy_a"],
           wrong=["redis_b", "haproxy_b", "enter_b", "init_a", "init_b"])
    yield
    os.kill(s.pid("redis_a"), signal.SIGCONT)
    s.ended("enter_a")
    s.check("the answer came", s.output("enter_a").strip() == "17")
