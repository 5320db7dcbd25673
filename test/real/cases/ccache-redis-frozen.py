# SPDX-License-Identifier: GPL-2.0-or-later
"""ninja waits for ccache, which asks its common cache, a redis-server, for an object file. The control group of this
redis-server is frozen, as for a snapshot of the machine."""
import contextlib
import os

from lib import cgroup2, in_cgroup
from scene import Missing, descendants, proc

HELD_OUT = True
NEEDS = {"ninja": "ninja-build", "ccache": "ccache", "gcc": "gcc", "redis-server": "redis-server", "redis-cli": "redis-tools",
         "ss": "iproute2"}
RULES = """builddir = %(name)s.d
rule cc
  command = ccache gcc -O1 -c $in -o $out
build %(name)s.o: cc %(name)s.c
"""


def play(s):
    group = os.path.join(cgroup2() or "/", "ctrace-test-ccache-redis")
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no control group of version 2 can be made here: %s" % e) from None
    s.callback(os.rmdir, group)

    def freeze(on):
        with open(os.path.join(group, "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write(str(int(on)))

    def frozen():
        with open(os.path.join(group, "cgroup.events"), encoding="ascii") as f:
            return "frozen 1" in f.read()

    def thaw():
        with contextlib.suppress(OSError):
            freeze(False)

    ports = {"redis": s.port(), "bystander": s.port()}
    for name, port in ports.items():
        cmd = ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.where]
        s.start(name, in_cgroup(group, cmd) if name == "redis" else cmd)
        s.wait("redis-server answers", lambda port=port: s.connects(port))

    def objects(name):
        return int(s.out(["redis-cli", "-p", ports[name], "DBSIZE"]))

    for name in "parcel", "label", "stamp":
        with open(s.path(name + ".c"), "w", encoding="ascii") as f:
            f.write("int %s(int n) { return n * 17; }\n" % name)
        with open(s.path(name + ".ninja"), "w", encoding="ascii") as f:
            f.write(RULES % {"name": name})

    def build(role, name, redis):
        env = {**os.environ, "HOME": s.where, "CCACHE_CONFIGPATH": "/dev/null", "CCACHE_DIR": s.path("cache-" + role),
               "CCACHE_REMOTE_STORAGE": "redis://127.0.0.1:%s|connect-timeout=30000|operation-timeout=60000" % ports[redis]}
        return s.start(role, ["ninja", "-f", name + ".ninja"], env=env)

    first = build("first", "stamp", "redis")
    s.wait("the first build ends", lambda: first.poll() is not None, 20)
    s.check("the common cache has its object file", first.returncode == 0 and objects("redis") > 0)

    s.begin()
    freeze(True)
    s.wait("the group is frozen", frozen)
    try:
        victim = build("victim", "parcel", "redis")

        def caches():
            return [pid for pid in descendants(victim.pid) if proc(pid, "comm") == "ccache\n"]

        s.wait("ccache runs", caches)
        s.role("ccache", caches()[0])
        for pid in set(descendants(victim.pid)) - {s.pid("ccache")}:
            s.role("shell", pid)

        def asked():
            """Whether ccache has a connection with redis-server, with a question that redis-server has not read."""
            rows = s.out(["ss", "-tnH", "state", "established", "sport = :" + ports["redis"]]).splitlines()
            return any(int(row.split()[0]) > 0 for row in rows) or \
                any(int(row.split()[0]) > 0 for row in s.out(["ss", "-tlnH", "sport = :" + ports["redis"]]).splitlines())

        s.wait("ccache has asked redis-server", lambda: asked() and s.syscall("ccache") in ("recvfrom", "read", "poll"))
        s.during("redis-server is in the group, and the group is frozen",
                 lambda: frozen() and "/ctrace-test-ccache-redis\n" in proc(s.pid("redis"), "cgroup"))
        s.during("redis-server has not read the question", asked)
        s.during("ccache waits for the answer", lambda: caches() == [s.pid("ccache")] and
                 s.syscall("ccache") in ("recvfrom", "read", "poll") and not s.child("ccache"))
        s.during("ninja waits", lambda: victim.poll() is None and s.state("victim") == "S")
        s.check("a build with the other redis-server ends", build("bystander_build", "label", "bystander").wait(20) == 0)
        s.during("the other redis-server answers", lambda: objects("bystander") > 0)
        s.hang(victim="victim", culprits=["redis", "test"], causes=["stopped"], vague=["ccache", *({"shell"} & set(s.roles))],
               wrong=["bystander", "bystander_build"])
        yield
    finally:
        thaw()
    s.ended("victim")
    s.check("the object file is there", os.path.exists(s.path("parcel.o")))
