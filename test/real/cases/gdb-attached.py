# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Python server. gdb is attached to the server, and keeps it stopped. The user of gdb types nothing."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"gdb": "gdb", "python3": "python3", "curl": "curl"}


def play(s):
    ports = {"server": s.port(), "bystander": s.port()}
    with open(s.path("page"), "w", encoding="ascii") as f:
        f.write("hello\n")
    for name, port in ports.items():
        s.start(name, ["python3", "-m", "http.server", "--bind", "127.0.0.1", port])
        s.wait("the server answers", lambda port=port: s.connects(port))

    def curl(name):
        return ["curl", "-s", "http://127.0.0.1:%s/page" % ports[name]]

    s.check("the server answers", s.out(curl("server")) == "hello")

    s.begin()
    s.start("gdb", ["gdb", "-q", "-nx", "-p", s.pid("server")], talk=True, env={**os.environ, "DEBUGINFOD_URLS": ""})
    s.wait("gdb has stopped the server", lambda: s.state("server") == "t")
    s.wait("gdb waits for a command", lambda: "(gdb)" in s.output("gdb") and not s.uses_cpu("gdb", 0.02), 30)
    victim = s.start("victim", curl("server"))
    s.wait("curl waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("gdb has stopped the server", lambda: s.state("server") == "t" and
             "TracerPid:\t%d\n" % s.pid("gdb") in proc(s.pid("server"), "status"))
    s.during("gdb waits", lambda: s.state("gdb") == "S" and not s.uses_cpu("gdb", 0.02, 0.2))
    s.during("curl waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.during("the other server answers", lambda: s.out(curl("bystander")) == "hello")
    # The test is the user of gdb.
    s.hang(victim="victim", culprits=["gdb", "server", "test"], causes=["stopped", "external"], wrong=["bystander"])
    yield
    s.say("gdb", "detach")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "hello\n")
    s.say("gdb", "quit")
