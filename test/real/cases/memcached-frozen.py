# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for memcached, whose control group is frozen. A second memcached is idle, and its control group is not
frozen."""
import contextlib
import os

from lib import cgroup2, in_cgroup
from scene import Missing, proc

HELD_OUT = False
NEEDS = {"memcached": "memcached", "curl": "curl"}


def play(s):
    group = os.path.join(cgroup2() or "/", "ctrace-test-memcached-frozen")
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no control group of version 2 can be made here: %s" % e) from None
    s.callback(os.rmdir, group)

    def freeze(on):
        with open(os.path.join(group, "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write(str(int(on)))

    def frozen():
        """Whether every task of the control group is frozen: the kernel then shows "frozen 1"."""
        with open(os.path.join(group, "cgroup.events"), encoding="ascii") as f:
            return "frozen 1" in f.read()

    def thaw():
        with contextlib.suppress(OSError):
            freeze(False)

    ports = {"server": s.port(), "bystander": s.port()}

    def client(name, line):
        return ["curl", "-s", "-m", "60", "gopher://127.0.0.1:%s/1%s%%0D%%0Aquit" % (ports[name], line)]

    for name, port in ports.items():
        cmd = ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", port, "-U", "0", "-t", "2"]
        s.start(name, in_cgroup(group, cmd) if name == "server" else cmd)
        s.wait("%s answers" % name, lambda port=port: s.connects(port))
        s.check("the stock is stored", "STORED" in s.out(client(name, "set%20stock%200%200%202%0D%0A17")))

    s.begin()
    freeze(True)
    s.wait("the group is frozen", frozen)
    try:
        victim = s.start("victim", client("server", "get%20stock"))
        s.wait("curl waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
        s.during("memcached is in the group, and the group is frozen",
                 lambda: frozen() and "/ctrace-test-memcached-frozen\n" in proc(s.pid("server"), "cgroup"))
        s.during("memcached gets no CPU", lambda: not s.uses_cpu("server", 0.01, 0.2))
        s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
        s.during("the other memcached answers", lambda: "VALUE stock" in s.out(client("bystander", "get%20stock")))
        s.hang(victim="victim", culprits=["server", "test"], causes=["stopped"], wrong=["bystander"])
        yield
    finally:
        thaw()
    s.ended("victim")
    s.check("curl has the stock", s.output("victim").split()[4:5] == ["17"])
