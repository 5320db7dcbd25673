# SPDX-License-Identifier: GPL-2.0-or-later
"""gnuplot waits in a write to its window program, gnuplot_x11, which waits for the X server. The CPU quota of the control
group of the X server lets it run for 1 % of the time."""
import os
import re

from lib import in_cgroup
from scene import find_program, proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "gnuplot-x11": "gnuplot-x11", "xdpyinfo": "x11-utils"}
PLOT = "plot for [i=1:20] sin(x*i) with points"
PLOTS = 10


def play(s):
    group, old = s.control_group("cpu", "gnuplot-x11")
    displays = {}
    for name in "xvfb", "xvfb_far":
        cmd = [find_program("Xvfb"), "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"]
        s.start(name, in_cgroup(group, cmd) if name == "xvfb" else cmd)
        s.wait("the X server says its display", lambda name=name: re.search(r"^(\d+)\n", s.output(name), re.M), 30)
        displays[name] = ":" + re.search(r"^(\d+)\n", s.output(name), re.M).group(1)
    env = {**os.environ, "DISPLAY": displays["xvfb"], "HOME": s.where, "GNUPLOT_DRIVER_DIR": "/usr/lib/gnuplot"}
    s.start("victim", ["gnuplot-x11"], talk=True, env=env)
    s.say("victim", "set terminal x11; set samples 3000; plot sin(x); print 'first'")
    s.wait("the first plot is there", lambda: "first" in s.output("victim"), 30)

    def window():
        return [p for p in s.living() if proc(p, "comm") == "gnuplot_x11\n"]

    s.wait("gnuplot has its window program", lambda: len(window()) == 1)
    s.role("window", window()[0])
    s.wait("all wait for the user", lambda: s.syscall("victim") in ("read", "select", "pselect6", "poll") and
           not s.uses_cpu("xvfb", 0.02, 0.3), 30)

    set_quota(group, old, 1000)
    s.begin()
    s.say("victim", "; ".join([PLOT + "; print 'plotted'"] * PLOTS))

    def plots():
        return s.output("victim").count("plotted")

    s.wait("gnuplot waits for its pipe", lambda: s.syscall("victim") == "write" and not s.uses_cpu("victim", 0.02, 0.3), 60)

    def still_throttled():
        before = throttled(group)
        s.wait("the group is throttled again", lambda: throttled(group) > before, 3)
        return True

    def waits_for_pipe():
        """Now and then gnuplot_x11 reads some bytes, and gnuplot writes more bytes."""
        s.wait("gnuplot waits in a write", lambda: s.syscall("victim") == "write" and "pipe" in s.wchan("victim"), 2)
        return plots() < PLOTS

    def window_waits():
        s.wait("gnuplot_x11 waits for the X server", lambda: s.state("window") == "S" and
               s.syscall("window") in ("poll", "writev", "select", "recvmsg", "pselect6"), 2)
        return not s.uses_cpu("window", 0.2)

    s.during("the group is throttled again and again", still_throttled)
    s.during("the X server is in the group, and gets almost nothing", lambda: not s.uses_cpu("xvfb", 0.1) and
             "/ctrace-test-gnuplot-x11\n" in proc(s.pid("xvfb"), "cgroup"))
    s.during("gnuplot waits in a write to gnuplot_x11", waits_for_pipe)
    s.during("gnuplot_x11 waits for the X server", window_waits)
    s.during("the other X server answers", lambda: s.out(["xdpyinfo", "-display", displays["xvfb_far"]], timeout=8))
    s.hang(victim="victim", culprits=["xvfb"], causes=["starved"], vague=["window"], wrong=["xvfb_far", "test"])
    yield
    set_quota(group, old, -1)
    n = plots()
    s.went_on("gnuplot has another plot", lambda: plots() > n)
    s.wait("gnuplot has all plots", lambda: plots() == PLOTS, 30)  # with the quota, this would take about 45 s
