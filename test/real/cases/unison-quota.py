# SPDX-License-Identifier: GPL-2.0-or-later
"""unison waits for a unison server, which looks at a big file. The control group of the server may use 2 ms of CPU in
100 ms."""
import os

from lib import in_cgroup
from scene import proc, set_quota, throttled

HELD_OUT = True
NEEDS = {"unison": "unison", "ss": "iproute2"}


def play(s):
    ports = {"server": s.port(), "bystander": s.port()}
    group, old = s.control_group("cpu", "unison-archive")
    other, _ = s.control_group("cpu", "unison-other")
    set_quota(other, old, 50000)
    for name in "here", "there", "spare", "here2", *("state-" + x for x in ("server", "bystander", "victim", "first")):
        os.mkdir(s.path(name))
    for name in "there/notes", "spare/notes":
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write("call the plumber\n")
    for name, port in ports.items():
        cmd = ["unison", "-socket", port, "-host", "127.0.0.1"]
        s.start(name, in_cgroup(group if name == "server" else other, cmd),
                env={**os.environ, "UNISON": s.path("state-" + name), "HOME": s.where})
        s.wait("%s listens" % name, lambda name=name, port=port: "pid=%d," % s.pid(name) in s.out(
            ["ss", "-tlnpH", "sport", "=", ":" + port]))

    def sync(here, port, there):
        return ["unison", "-batch", "-ui", "text", "-nocreation", s.path(here), s.path(here),
                "socket://127.0.0.1:%s/%s" % (port, s.path(there)), "-silent"]

    env = {**os.environ, "HOME": s.where}
    first = {**env, "UNISON": s.path("state-first")}
    s.start("first", sync("here2", ports["bystander"], "spare"), env=first)
    s.wait("the other server serves", lambda: s.processes["first"][0].poll() is not None)
    with open(s.path("there/disk.img"), "wb") as f:
        f.truncate(400 << 20)

    began = s.cpu_s("server")
    s.begin()
    victim = s.start("victim", sync("here", ports["server"], "there"), env={**env, "UNISON": s.path("state-victim")})
    s.wait("the server looks at the file", lambda: any(
        os.readlink("/proc/%d/fd/%s" % (s.pid("server"), x)).endswith("disk.img")
        for x in os.listdir("/proc/%d/fd" % s.pid("server"))))
    set_quota(group, old, 2000)
    count = throttled(group)
    s.wait("the server gets no CPU", lambda: throttled(group) > count + 2)
    s.during("the server is in its group", lambda: "/ctrace-test-unison-archive\n" in proc(s.pid("server"), "cgroup"))
    s.during("the server is throttled", lambda: throttled(group) > count + 2 and not s.uses_cpu("server", 0.1))
    s.during("the server wants to run, and has begun", lambda: s.state("server") == "R" and s.cpu_s("server") > began)
    to_server = ["ss", "-tnpH", "state", "established", "dport", "=", ":" + ports["server"]]
    s.during("the victim waits for the server", lambda: victim.poll() is None and s.state("victim") == "S" and
             "pid=%d," % victim.pid in s.out(to_server))
    s.hang(victim="victim", culprits=["server"], causes=["starved"], wrong=["bystander", "test"])
    yield
    set_quota(group, old, -1)
    s.went_on("unison ends", lambda: victim.poll() is not None)
    # It leaves the new file alone, as -nocreation says, and so it exits with 1.
    s.check("unison saw the file", "disk.img" in s.output("victim") and victim.returncode == 1)
