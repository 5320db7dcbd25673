# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: i3-msg has subscribed to the events of the window manager i3, as a status bar does. There is no event."""
import os

HELD_OUT = True
NEEDS = {"Xvfb": "xvfb", "i3": "i3-wm", "i3-msg": "i3-wm", "xdpyinfo": "x11-utils"}
CONFIG = """# i3 config file (v4)
font pango:monospace 8
ipc-socket %s
"""


def play(s):
    os.mkdir(s.path("home"))
    with open(s.path("config"), "w", encoding="ascii") as f:
        f.write(CONFIG % s.path("i3.sock"))
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n") and
           s.output("xvfb").split()[-1].isdigit())
    env = {**os.environ, "DISPLAY": ":" + s.output("xvfb").split()[-1], "HOME": s.path("home"),
           "XDG_RUNTIME_DIR": s.path("home")}
    s.start("i3", ["i3", "-c", s.path("config")], env=env)
    ask = ["i3-msg", "-s", s.path("i3.sock")]
    s.wait("i3 answers",
           lambda: os.path.exists(s.path("i3.sock")) and "human_readable" in s.out([*ask, "-t", "get_version"]))
    s.start("bar", [*ask, "-t", "subscribe", "-m", '["workspace"]'], env=env)
    s.wait("the subscription is there", lambda: s.syscall("bar") in ("read", "recvfrom"))

    def focus(workspace):
        s.out([*ask, "workspace", workspace])
        s.wait("the subscriber has the event", lambda: '"name":"%s"' % workspace in s.output("bar"))
        return True

    s.check("an event arrives", focus("7"))
    s.wait("i3 is idle", lambda: s.syscall("i3") == "epoll_wait" and s.state("i3") == "S")

    s.begin()
    before = s.output("bar")
    began = s.cpu_s("bar")
    s.during("i3-msg waits for an event", lambda: s.syscall("bar") in ("read", "recvfrom") and s.state("bar") == "S")
    s.during("there is no event, and no work", lambda: s.output("bar") == before and s.cpu_s("bar") - began < 0.05)
    s.during("i3 is idle", lambda: s.syscall("i3") == "epoll_wait" and s.state("i3") == "S")
    s.normal(victim="bar", causes=["external"])
    yield
    s.out([*ask, "workspace", "8"])
    s.went_on("the event arrives", lambda: '"name":"8"' in s.output("bar"))
    s.check("i3 answers", "human_readable" in s.out([*ask, "-t", "get_version"]))
