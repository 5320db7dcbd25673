# SPDX-License-Identifier: GPL-2.0-or-later
"""xclip -o waits for the clipboard. SIGSTOP has stopped the other X client that owns it; the X server works."""
import os
import signal

HELD_OUT = True
NEEDS = {"Xvfb": "xvfb", "xclip": "xclip", "xdpyinfo": "x11-utils"}


def play(s):
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    display = ":" + s.output("xvfb").split()[-1]
    env = {**os.environ, "DISPLAY": display}
    s.wait("the X server answers", lambda: s.out(["xdpyinfo", "-display", display]))
    with open(s.path("text"), "w", encoding="ascii") as f:
        f.write("hello\n")
    owner = s.start("owner", ["xclip", "-quiet", "-selection", "clipboard", "-i", "text"], env=env)
    s.start("bystander", ["xclip", "-quiet", "-selection", "primary", "-i", "text"], env=env)

    def paste(selection):
        return s.out(["xclip", "-display", display, "-selection", selection, "-o"], timeout=5) == "hello"

    s.wait("both selections have an owner", lambda: "Waiting" in s.output("owner") and "Waiting" in s.output("bystander"))
    s.wait("both selections can be pasted", lambda: paste("clipboard") and paste("primary"))

    s.begin()
    owner.send_signal(signal.SIGSTOP)
    s.wait("the owner stops", lambda: s.state("owner") == "T")
    victim = s.start("victim", ["xclip", "-selection", "clipboard", "-o"], env=env)
    s.wait("the victim waits", lambda: s.syscall("victim") == "poll")
    s.during("the owner of the clipboard is stopped", lambda: s.state("owner") == "T")
    s.during("the victim waits", lambda: victim.poll() is None and s.syscall("victim") == "poll")
    s.during("the X server works", lambda: s.out(["xdpyinfo", "-display", display]) and paste("primary"))
    s.hang(victim="victim", culprits=["owner", "test"], causes=["stopped"], vague=["xvfb"], wrong=["bystander"])
    yield
    owner.send_signal(signal.SIGCONT)
    s.ended("victim")
    s.check("the victim has the text", s.output("victim") == "hello\n")
