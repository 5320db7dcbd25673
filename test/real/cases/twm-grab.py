# SPDX-License-Identifier: GPL-2.0-or-later
"""xdpyinfo waits for the X server, which serves only twm: twm has grabbed the server, and waits until its user has chosen a
place for the window of a clock. A second X server works."""
import os
import re
import subprocess

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "twm": "twm", "xclock": "x11-apps", "xdpyinfo": "x11-utils", "xwininfo": "x11-utils",
         "ss": "iproute2"}
FONTS = "".join('%sFont "fixed"\n' % what for what in ("Title", "Menu", "Icon", "Resize", "IconManager"))


def play(s):
    display, env = {}, {}
    with open(s.path("twmrc"), "w", encoding="ascii") as f:
        f.write(FONTS)
    for name in "xvfb", "other_xvfb":
        s.start(name, ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
        s.wait("the X server says its display", lambda name=name: re.search(r"^(\d+)\n", s.output(name), re.M), 20)
        display[name] = ":" + re.search(r"^(\d+)\n", s.output(name), re.M).group(1)
        env[name] = {**os.environ, "HOME": s.where, "DISPLAY": display[name], "LC_ALL": "C"}
        twm = name.replace("xvfb", "twm")
        s.start(twm, ["twm", "-f", s.path("twmrc")], env=env[name])
        s.wait("twm has its windows", lambda name=name: " 1 child" not in s.out(
            ["xwininfo", "-root", "-tree", "-display", display[name]]) and "0 children" not in s.out(
                ["xwininfo", "-root", "-tree", "-display", display[name]]), 20)

    def info(name):
        return ["xdpyinfo", "-display", display[name]]

    def unserved():
        """How many connections the X server has not accepted, and how many bytes it has not read."""
        queues = re.findall(r"(\d+) +\d+ +@?/tmp/.X11-unix/X%s " % display["xvfb"][1:], s.out(["ss", "-xanH"]))
        return sum(map(int, queues))

    s.check("the X server answers", "dimensions" in s.out(info("xvfb")))
    s.wait("the X server has read all", lambda: not unserved())

    def asks():
        """Whether the X server answers nobody else, while twm asks its user."""
        return subprocess.run(["timeout", "0.5", *info("xvfb")], capture_output=True, check=False).returncode == 124

    s.start("clock", ["xclock"], env=env["xvfb"])
    s.wait("twm waits for its user", lambda: s.syscall("clock") == s.syscall("twm") == "poll" and asks())
    before = unserved()

    s.begin()
    victim = s.start("victim", info("xvfb"))
    s.wait("the X server does not serve the victim", lambda: unserved() > before and s.state("victim") == "S")
    s.during("the X server does not serve the victim", lambda: unserved() > before)
    s.during("the X server and twm wait", lambda: s.state("xvfb") == s.state("twm") == "S" and
             s.syscall("xvfb") == "epoll_wait" and s.syscall("twm") == "poll")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             "dimensions" not in s.output("victim"))
    s.during("the other X server answers", lambda: "dimensions" in s.out(info("other_xvfb"), timeout=5))
    s.hang(victim="victim", culprits=["twm", "test"], causes=["external", "slow-peer"], vague=["xvfb"],
           wrong=["clock", "other_xvfb", "other_twm"])
    yield
    s.processes["twm"][0].kill()  # the end of twm ends its grab; twm does not look after SIGTERM now
    s.ended("victim")
    s.check("the X server answers", "dimensions" in s.output("victim"))
