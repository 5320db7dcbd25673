# SPDX-License-Identifier: GPL-2.0-or-later
"""A window program of GTK is frozen: it calls a D-Bus service, and waits for the answer in its main loop's thread. For the
answer, the service waits for its sha256sum, which computes."""
import glob
import importlib.util
import os
import signal

from scene import Missing

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "xdpyinfo": "x11-utils", "dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin", "python3": "python3",
         "sha256sum": "coreutils"}
SERVICE = """
import subprocess
import dbus, dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

class Report(dbus.service.Object):
    @dbus.service.method("org.shop.Report", in_signature="s", out_signature="s")
    def Sum(self, path):
        subprocess.run(["sha256sum", path], stdout=subprocess.DEVNULL)
        return "done"

DBusGMainLoop(set_as_default=True)
name = dbus.service.BusName("org.shop.Report", dbus.SessionBus())
Report(dbus.SessionBus(), "/report")
GLib.MainLoop().run()
"""
WINDOW = """
import sys
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gio, GLib, Gtk

def say(text):
    print(text, flush=True)
    return True

def command(source, condition):
    path = sys.stdin.readline().strip()
    if not path:
        Gtk.main_quit()
        return False
    answer = bus.call_sync("org.shop.Report", "/report", "org.shop.Report", "Sum", GLib.Variant("(s)", (path,)), None, 0,
                           600000, None)
    return say("sum " + answer[0])

bus = Gio.bus_get_sync(Gio.BusType.SESSION)
window = Gtk.Window(title="Shop")
window.add(Gtk.Label(label="shop"))
window.show_all()
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, command)
GLib.timeout_add(100, say, "tick")
Gtk.main()
"""


def play(s):
    if not importlib.util.find_spec("dbus"):
        raise Missing("needs the package python3-dbus")
    if not importlib.util.find_spec("gi") or not glob.glob("/usr/lib/*/girepository-1.0/Gtk-3.0.typelib"):
        raise Missing("needs the packages python3-gi and gir1.2-gtk-3.0")
    for name, text in ("service.py", SERVICE), ("window.py", WINDOW), ("page", "hello\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    display = ":" + s.output("xvfb").split()[-1]
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.where, "GSETTINGS_BACKEND": "memory",
           "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + s.path("bus")}
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path=" + s.path("bus")], env=env)
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))
    send = ["env", "DBUS_SESSION_BUS_ADDRESS=unix:path=" + s.path("bus"), "dbus-send", "--session", "--print-reply",
            "--dest=org.freedesktop.DBus", "/"]
    s.start("service", ["/usr/bin/python3", "service.py"], env=env)
    s.wait("the service is there", lambda: "org.shop.Report" in s.out([*send, "org.freedesktop.DBus.ListNames"]))
    for name in "victim", "bystander":
        s.start(name, ["/usr/bin/python3", "window.py"], env=env, talk=True)
        s.wait("the window of %s works" % name, lambda name=name: s.output(name).count("tick") > 3, 30)
    s.say("victim", s.path("page"))
    s.wait("a short sum is made", lambda: "sum done" in s.output("victim"))

    s.begin()
    s.say("victim", "/dev/zero")
    s.wait("sha256sum runs", lambda: s.child("service", "sha256sum"))
    s.role("sha256sum", s.child("service", "sha256sum"))
    for tid in s.threads("victim", "gdbus"):
        s.role("gdbus", s.pid("victim"), tid)
    s.wait("the window is frozen", lambda: not s.uses_cpu("victim", 0.01))
    ticks = s.output("victim").count("tick")
    s.during("sha256sum computes", lambda: s.child("service") == s.pid("sha256sum") and s.uses_cpu("sha256sum", 0.15))
    s.during("the service waits for it", lambda: s.syscall("service") == "wait4")
    s.during("the window is frozen", lambda: s.output("victim").count("tick") == ticks and s.state("victim") == "S")
    s.during("the bus answers", lambda: "method return" in s.out([*send, "org.freedesktop.DBus.GetId"], timeout=15))
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display], timeout=15))
    seen = [0]

    def other_works():
        before, seen[0] = max(seen[0], s.output("bystander").count("tick")), s.output("bystander").count("tick")
        return s.wait("a tick", lambda: s.output("bystander").count("tick") > before) is None

    s.during("the other window works", other_works)
    s.hang(victim="victim", culprits=["sha256sum"], causes=["busy"], vague=["service", "bus"], stuck=["gdbus"],
           wrong=["bystander", "xvfb", "test"])
    yield
    os.kill(s.pid("sha256sum"), signal.SIGTERM)
    s.went_on("the window works again", lambda: s.output("victim").count("sum done") == 2 and
              s.output("victim").count("tick") > ticks)
    for name in "victim", "bystander":
        s.say(name, "")
        s.ended(name)
