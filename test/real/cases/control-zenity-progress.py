# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a script does one job after the other, and a zenity dialog shows its progress."""
import os

from scene import Invalid

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "zenity": "zenity", "xdotool": "xdotool", "gzip": "gzip"}
SHOP = """#!/bin/sh
n=0
while [ ! -e enough ]; do
    gzip -c words >words.gz
    sleep 0.3
    n=$((n + 1))
    echo "# job $n"
    echo $n >>done
done
echo 100
"""


def play(s):
    with open(s.path("shop"), "w", encoding="ascii") as f:
        f.write(SHOP)
    with open(s.path("words"), "w", encoding="ascii") as f:
        f.write("parcel letter stamp\n" * 5000)
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    display = ":" + s.output("xvfb").split()[-1]
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.where, "GSETTINGS_BACKEND": "memory",
           "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + s.path("bus")}
    s.start("shell", ["sh", "-c", "sh shop | zenity --progress --auto-close --no-cancel --title Parcels; echo closed"], env=env)
    s.wait("zenity runs", lambda: s.child("shell", "zenity") and s.child("shell", "sh"))
    s.role("zenity", s.child("shell", "zenity"))
    s.role("shop", s.child("shell", "sh"))

    def shown():
        """Whether the dialog is there."""
        try:
            return s.out(["env", "DISPLAY=" + display, "xdotool", "search", "--onlyvisible", "--name", "Parcels"])
        except Invalid as e:  # there is no window yet
            raise ValueError(e) from None

    def jobs():
        with open(s.path("done"), encoding="ascii") as f:
            return len(f.readlines())

    s.wait("the dialog is there", shown)
    s.wait("some jobs are done", lambda: jobs() > 1)

    s.begin()
    first, seen, began = jobs(), [jobs()], s.cpu_s("zenity")

    def goes_on():
        before, seen[0] = seen[0], jobs()
        s.wait("the next job is done", lambda: jobs() > before, 2)
        return True

    s.during("more jobs are done", goes_on)
    s.during("the dialog is there", shown)
    s.normal(victim="zenity", causes=["timer", "external"])
    yield
    s.check("two jobs were done in each second", jobs() - first >= 2 * (s.seconds - 1))
    s.check("zenity has worked", s.cpu_s("zenity") > began)
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("shell")
    s.check("the dialog closed by itself", "closed" in s.output("shell"))
