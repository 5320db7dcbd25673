# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: an xterm is idle. It waits for a key or for output of its shell."""
import os

from scene import Invalid

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "xterm": "xterm", "xdotool": "xdotool"}


def play(s):
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    env = {**os.environ, "DISPLAY": ":" + s.output("xvfb").split()[-1], "PS1": "$ ", "ENV": ""}
    s.start("xterm", ["xterm", "-xrm", "XTerm*allowSendEvents: true", "-xrm", "XTerm*cursorBlink: false",
                      "-e", "sh", "-i"], env=env)
    s.wait("the shell is there", lambda: s.child("xterm", "sh"))
    s.role("shell", s.child("xterm", "sh"))

    def xdotool(*words):
        try:
            return s.out(["env", "DISPLAY=" + env["DISPLAY"], "xdotool", *words])
        except Invalid as e:  # there is no window yet
            raise ValueError(e) from None

    def type_line(line):
        window = xdotool("search", "--class", "xterm").split()[-1]
        xdotool("type", "--window", window, line)
        xdotool("key", "--window", window, "Return")

    s.wait("the window is there", lambda: xdotool("search", "--class", "xterm"))
    s.wait("the shell waits for a line", lambda: s.syscall("shell") in ("read", "poll", "pselect6"))
    type_line("touch before")
    s.wait("the shell did what was typed", lambda: os.path.exists(s.path("before")))
    s.wait("xterm is idle", lambda: s.syscall("xterm") in ("select", "pselect6", "poll"))

    s.begin()
    began = s.cpu_s("xterm")
    s.during("xterm waits for events",
             lambda: s.syscall("xterm") in ("select", "pselect6", "poll") and s.state("xterm") == "S")
    s.during("xterm uses no CPU", lambda: s.cpu_s("xterm") - began < 0.05)
    s.during("the shell waits for a line",
             lambda: s.state("shell") == "S" and s.syscall("shell") in ("read", "poll", "pselect6"))
    s.normal(victim="xterm", causes=["external"])
    yield
    type_line("touch after")
    s.went_on("the shell did what was typed", lambda: os.path.exists(s.path("after")))
