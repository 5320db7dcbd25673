# SPDX-License-Identifier: GPL-2.0-or-later
"""A program in a sandbox (bwrap) calls a D-Bus service through xdg-dbus-proxy. For the answer, the service shows a dialog for
files, zenity, and waits until its user has chosen one. The user is away."""
import importlib.util
import os
import re

from scene import Invalid, Missing, descendants, proc

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "xdpyinfo": "x11-utils", "xdotool": "xdotool", "zenity": "zenity", "bwrap": "bubblewrap",
         "xdg-dbus-proxy": "xdg-dbus-proxy", "dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin", "python3": "python3"}
SERVICE = """
import subprocess
import dbus, dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

class Chooser(dbus.service.Object):
    @dbus.service.method("org.shop.Chooser", in_signature="s", out_signature="s")
    def Open(self, title):
        if title == "none":
            return "chosen: none"
        chosen = subprocess.run(["zenity", "--file-selection", "--title", title], stdout=subprocess.PIPE).stdout
        return "chosen: " + (chosen.decode().strip() or "none")

DBusGMainLoop(set_as_default=True)
name = dbus.service.BusName("org.shop.Chooser", dbus.SessionBus())
Chooser(dbus.SessionBus(), "/chooser")
GLib.MainLoop().run()
"""


def play(s):
    if not importlib.util.find_spec("dbus") or not importlib.util.find_spec("gi"):
        raise Missing("needs the packages python3-dbus and python3-gi")
    with open(s.path("service.py"), "w", encoding="ascii") as f:
        f.write(SERVICE)
    for name in "run", "inner":
        os.mkdir(s.path(name), 0o700)
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: re.search(r"^(\d+)\n", s.output("xvfb"), re.M), 20)
    display = ":" + re.search(r"^(\d+)\n", s.output("xvfb"), re.M).group(1)
    address, inner = "unix:path=" + s.path("bus"), "unix:path=" + s.path("inner/bus")
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.path("run"), "GSETTINGS_BACKEND": "memory",
           "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "DBUS_SESSION_BUS_ADDRESS": address}
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address], env=env)
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))
    send = ["dbus-send", "--session", "--print-reply", "--reply-timeout=600000"]
    with_bus = ["env", "DBUS_SESSION_BUS_ADDRESS=" + address]
    ids = [*with_bus, *send, "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.ListNames"]
    s.start("service", ["/usr/bin/python3", "service.py"], env=env)
    s.wait("the service is there", lambda: "org.shop.Chooser" in s.out(ids), 20)
    s.start("proxy", ["xdg-dbus-proxy", address, s.path("inner/bus"), "--filter", "--talk=org.shop.Chooser"], env=env)
    s.wait("the proxy is there", lambda: os.path.exists(s.path("inner/bus")))

    def call(title):
        return ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "--unshare-net",
                "--bind", s.path("inner"), s.path("inner"), "--setenv", "DBUS_SESSION_BUS_ADDRESS", inner,
                *send, "--dest=org.shop.Chooser", "/chooser", "org.shop.Chooser.Open", "string:" + title]

    s.check("the sandbox has an answer", "chosen: none" in s.out(call("none")))

    def xdotool(*words):
        try:
            return s.out(["env", "DISPLAY=" + display, "xdotool", *words])
        except Invalid as e:  # there is no window yet
            raise ValueError(e) from None

    s.start("bystander", ["zenity", "--progress", "--title", "Letters", "--text", "No letters yet"], env=env, talk=True)
    s.wait("the other dialog is there", lambda: xdotool("search", "--onlyvisible", "--name", "Letters"), 30)

    s.begin()
    s.start("sandbox", call("Photos"), env=env)

    def app():
        return [p for p in descendants(s.pid("sandbox")) if proc(p, "comm") == "dbus-send\n"]

    s.wait("the program in the sandbox runs", lambda: len(app()) == 1)
    s.role("victim", app()[0])
    for i, pid in enumerate(p for p in descendants(s.pid("sandbox")) if p != s.pid("victim")):
        s.role("init%d" % i, pid)
    s.wait("zenity runs", lambda: s.child("service", "zenity"), 20)
    s.role("zenity", s.child("service", "zenity"))
    s.wait("the dialog is there", lambda: xdotool("search", "--onlyvisible", "--name", "Photos"), 20)

    def waits_for_user():
        """It may redraw its window now and then."""
        s.wait("zenity waits", lambda: not s.uses_cpu("zenity", 0.05, 0.3) and s.state("zenity") == "S" and
               s.syscall("zenity") == "poll", 20 if not s.holds else 3)
        return True

    waits_for_user()
    s.during("the dialog is there", lambda: xdotool("search", "--onlyvisible", "--name", "Photos"))
    s.during("zenity waits for its user", waits_for_user)
    s.during("the service waits for the output of zenity", lambda: s.state("service") == "S" and
             s.child("service") == s.pid("zenity") and s.syscall("service") in ("read", "poll", "wait4"))
    s.during("the program in the sandbox waits", lambda: app() == [s.pid("victim")] and s.state("victim") == "S" and
             os.readlink("/proc/%d/ns/pid" % s.pid("victim")) != os.readlink("/proc/self/ns/pid"))
    s.during("the bus answers", lambda: "org.shop.Chooser" in s.out(ids, timeout=15))
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display], timeout=15))
    # The test plays the user.
    s.hang(victim="victim", culprits=["zenity", "test"], causes=["external"], vague=["service", "bus", "proxy"],
           wrong=["bystander", "xvfb", "sandbox"])
    yield
    window = xdotool("search", "--onlyvisible", "--name", "Photos").split()[-1]
    xdotool("windowfocus", "--sync", window)
    xdotool("key", "Escape")
    s.ended("sandbox")
    s.check("the program has its answer", "chosen: none" in s.output("sandbox"))
