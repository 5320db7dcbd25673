# SPDX-License-Identifier: GPL-2.0-or-later
"""A shell script waits for the answer of a zenity dialog. The user types no answer."""
import os

from scene import Invalid

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "zenity": "zenity", "xdotool": "xdotool", "xdpyinfo": "x11-utils"}
SHOP = """#!/bin/sh
name=$(zenity --entry --title "$1" --text "Which parcel?")
echo "parcel $name"
"""


def play(s):
    with open(s.path("shop"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    display = ":" + s.output("xvfb").split()[-1]
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.where, "GSETTINGS_BACKEND": "memory",
           "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + s.path("bus")}

    def xdotool(*words):
        try:
            return s.out(["env", "DISPLAY=" + display, "xdotool", *words])
        except Invalid as e:  # there is no window yet
            raise ValueError(e) from None

    def dialog(role, title):
        s.wait("zenity runs for %s" % role, lambda: s.child(role, "zenity"))
        s.role(role + "-zenity", s.child(role, "zenity"))
        s.wait("the dialog is there", lambda: xdotool("search", "--onlyvisible", "--name", title))
        s.wait("zenity waits", lambda: s.syscall(role + "-zenity") == "poll" and not s.uses_cpu(role + "-zenity", 0.1, 0.2))

    s.start("bystander", ["zenity", "--progress", "--title", "Letters", "--text", "No letters yet"], env=env, talk=True)
    s.wait("the other dialog is there", lambda: xdotool("search", "--onlyvisible", "--name", "Letters"))

    s.begin()
    victim = s.start("victim", ["sh", "shop", "Parcels"], env=env)
    dialog("victim", "Parcels")
    s.during("the script waits for the output of zenity", lambda: victim.poll() is None and s.syscall("victim") == "read" and
             "pipe" in s.wchan("victim") and
             os.readlink("/proc/%d/fd/1" % s.pid("victim-zenity")).startswith("pipe:"))
    s.during("zenity waits for its user", lambda: s.state("victim-zenity") == "S" and s.syscall("victim-zenity") == "poll" and
             not s.uses_cpu("victim-zenity", 0.1))
    s.during("the dialog is there", lambda: xdotool("search", "--onlyvisible", "--name", "Parcels"))
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display]))
    # The test plays the user.
    s.hang(victim="victim", culprits=["victim-zenity", "test"], causes=["external"], wrong=["bystander", "xvfb"])
    yield
    window = xdotool("search", "--onlyvisible", "--name", "Parcels").split()[-1]
    xdotool("windowfocus", "--sync", window)
    xdotool("type", "red")
    xdotool("key", "Return")
    s.ended("victim")
    s.check("the script has the answer", s.output("victim").strip().endswith("parcel red"))
