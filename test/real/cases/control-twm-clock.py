# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a desktop with twm and two clocks is idle. twm waits for its user, and each clock waits for the next second."""
import os
import re

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "twm": "twm", "xclock": "x11-apps", "xwininfo": "x11-utils", "xdpyinfo": "x11-utils",
         "xlogo": "x11-apps"}
FONTS = "".join('%sFont "fixed"\n' % what for what in ("Title", "Menu", "Icon", "Resize", "IconManager"))


def play(s):
    with open(s.path("twmrc"), "w", encoding="ascii") as f:
        f.write("RandomPlacement\n" + FONTS)
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
    s.wait("the X server says its display", lambda: re.search(r"^(\d+)\n", s.output("xvfb"), re.M), 20)
    display = ":" + re.search(r"^(\d+)\n", s.output("xvfb"), re.M).group(1)
    env = {**os.environ, "HOME": s.where, "DISPLAY": display, "LC_ALL": "C"}

    def look():
        return s.out(["xwininfo", "-root", "-tree", "-display", display], timeout=5)

    s.start("twm", ["twm", "-f", s.path("twmrc")], env=env)
    s.wait("twm rules the windows", lambda: "0 children" not in look() and " 1 child" not in look())
    s.begin()
    for name, cmd in ("clock", ["xclock", "-digital", "-update", "1"]), ("other", ["xclock", "-update", "1"]), \
            ("logo", ["xlogo"]):
        s.start(name, cmd, env=env)
        s.wait("the window is there", lambda cmd=cmd: cmd[0] in look())

    def waits(role):
        """How often the program has waited."""
        with open("/proc/%d/status" % s.pid(role), encoding="ascii") as f:
            return int(f.read().split("nonvoluntary_ctxt_switches")[0].split("voluntary_ctxt_switches:")[1])

    def ticks():
        n = waits("clock")
        s.wait("the clock ticks", lambda: waits("clock") > n, 4)
        return True

    s.during("the clock ticks", ticks)
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display], timeout=5))
    s.during("twm waits", lambda: s.state("twm") == "S" and s.syscall("twm") in ("poll", "select", "pselect6", "ppoll"))
    s.during("the logo waits", lambda: s.state("logo") == "S" and s.syscall("logo") in ("poll", "select", "pselect6", "ppoll"))
    s.normal(victim="twm", causes=["timer", "external"])
    yield
    n = waits("clock")
    s.went_on("the clock goes on", lambda: waits("clock") > n)
    s.processes["logo"][0].terminate()
    s.wait("the logo ends", lambda: s.processes["logo"][0].poll() is not None)
    s.check("twm has let the window go", "xlogo" not in look())
