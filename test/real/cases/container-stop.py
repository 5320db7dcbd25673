# SPDX-License-Identifier: GPL-2.0-or-later
"""A stop script has sent SIGTERM to a container, and waits for its end. The first process of the container, a Python web
server, does not handle SIGTERM. As process 1 of its PID namespace, it is not ended by this signal, and goes on."""
import os
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"unshare": "util-linux", "python3": "python3", "curl": "curl", "sh": "dash"}
RUN = """
unshare --pid --fork --kill-child /usr/bin/python3 -m http.server --bind 127.0.0.1 $1 &
while read command; do
    kill -TERM $(cat /proc/$!/task/$!/children)
    wait $!
    echo "stopped"
    exit 0
done
"""


def play(s):
    ports = {"victim": s.port(), "bystander": s.port()}
    with open(s.path("run"), "w", encoding="ascii") as f:
        f.write(RUN)
    with open(s.path("page"), "w", encoding="ascii") as f:
        f.write("hello\n")

    def page(name):
        return s.out(["curl", "-s", "-m", "8", "--noproxy", "*", "http://127.0.0.1:%s/page" % ports[name]])

    for name, port in ports.items():
        s.start(name, ["sh", "run", port], talk=True)
        s.wait("the container answers", lambda port=port: s.connects(port))
        s.role(name + "_unshare", s.child(name, "unshare"))
        s.role(name + "_server", children(s.pid(name + "_unshare"))[0])
        s.check("the server is process 1 of its container", proc(s.pid(name + "_server"), "status")
                .partition("NSpid:")[2].split("\n")[0].split()[-1] == "1")
    victim = s.processes["victim"][0]

    s.begin()
    s.say("victim", "stop")
    s.wait("the script waits", lambda: s.syscall("victim") in ("wait4", "130"))  # 130: rt_sigsuspend
    s.during("the server does not handle SIGTERM", lambda: not int(
        proc(s.pid("victim_server"), "status").partition("SigCgt:")[2].split()[0], 16) >> (signal.SIGTERM - 1) & 1)
    s.during("the server works", lambda: page("victim") == "hello")
    s.during("the script waits for the container", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("wait4", "130") and s.child("victim") == s.pid("victim_unshare"))
    s.during("unshare waits for the server", lambda: s.wchan("victim_unshare") == "do_wait")
    # The server waits for clients, and looks twice a second whether it should end.
    s.hang(victim="victim", culprits=["victim_server"], causes=["external", "slow-peer", "timer", "missing-wakeup", "polling"],
           vague=["victim_unshare"], wrong=["bystander", "bystander_unshare", "bystander_server", "test"])
    yield
    os.kill(s.pid("victim_server"), signal.SIGKILL)  # as a container runtime does after a while
    s.ended("victim")
    s.check("the container has stopped", "stopped" in s.output("victim") and page("bystander") == "hello")
