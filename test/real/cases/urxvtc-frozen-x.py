# SPDX-License-Identifier: GPL-2.0-or-later
"""urxvtc asks the terminal daemon urxvtd for a window. urxvtd waits for the X server, which the freezer has
frozen."""
import os
import time

from lib import in_cgroup

HELD_OUT = True
NEEDS = {"Xvfb": "xvfb", "urxvtc": "rxvt-unicode", "urxvtd": "rxvt-unicode", "xdpyinfo": "x11-utils"}


def play(s):
    group, old = s.control_group("freezer", "urxvtc-frozen-x")

    def freeze(on):
        name, value = ("freezer.state", "FROZEN" if on else "THAWED") if old else ("cgroup.freeze", "1" if on else "0")
        with open(os.path.join(group, name), "w", encoding="ascii") as f:
            f.write(value)

    def frozen():
        name, want = ("freezer.state", "FROZEN") if old else ("cgroup.events", "frozen 1")
        with open(os.path.join(group, name), encoding="ascii") as f:
            return want in f.read()

    displays = {}
    for role in "xvfb", "other":
        cmd = ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"]
        s.start(role, in_cgroup(group, cmd) if role == "xvfb" else cmd)
        s.wait("the X server says its display", lambda role=role: s.output(role).endswith("\n") and
               s.output(role).split()[-1].isdigit())
        displays[role] = ":" + s.output(role).split()[-1]
    s.wait("the X server runs in the group", lambda: "Xvfb" in os.readlink("/proc/%d/exe" % s.pid("xvfb")))
    env = {**os.environ, "DISPLAY": displays["xvfb"], "RXVT_SOCKET": s.path("urxvtd.sock"), "HOME": s.where}
    s.start("daemon", ["urxvtd", "-q"], env=env)
    s.wait("urxvtd listens", lambda: os.path.exists(s.path("urxvtd.sock")))
    first = s.start("first", ["urxvtc", "-e", "sleep", "600"], env=env)
    s.wait("the first window is there", lambda: first.poll() == 0 and s.child("daemon", "sleep"))
    s.wait("urxvtd is idle", lambda: s.syscall("daemon") == "epoll_wait")
    s.role("program", s.child("daemon", "sleep"))

    def leave():  # also after a failure
        freeze(False)
        for _ in range(100):
            with open(os.path.join(group, "cgroup.procs"), encoding="ascii") as f:
                if not f.read():
                    break
            time.sleep(0.05)

    s.callback(leave)
    s.begin()
    freeze(True)
    s.wait("the X server is frozen", frozen)
    victim = s.start("victim", ["urxvtc", "-e", "sleep", "600"], env=env)
    s.wait("urxvtc waits for urxvtd", lambda: s.syscall("victim") in ("read", "recvmsg", "recvfrom"))
    s.wait("urxvtd waits for the X server", lambda: s.syscall("daemon") == "poll")
    began = s.cpu_s("xvfb"), s.cpu_s("daemon")
    s.during("the X server is frozen", lambda: frozen() and s.cpu_s("xvfb") == began[0])
    s.during("urxvtd waits", lambda: s.syscall("daemon") == "poll" and s.cpu_s("daemon") - began[1] < 0.05)
    s.during("urxvtc waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("another X server works", lambda: "screen" in s.out(["xdpyinfo", "-display", displays["other"]]))
    s.hang(victim="victim", culprits=["xvfb", "test"], causes=["stopped"], vague=["daemon"], wrong=["other", "program"])

    def thaw():
        freeze(False)
        return not frozen()

    yield
    s.went_on("the X server goes on", thaw)
    s.ended("victim")
