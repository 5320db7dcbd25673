# SPDX-License-Identifier: GPL-2.0-or-later
"""notify-send waits for the notification daemon, dunst, which SIGSTOP has stopped. The bus and the X server work."""
import os
import signal

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "dunst": "dunst", "notify-send": "libnotify-bin", "dbus-daemon": "dbus-daemon",
         "dbus-send": "dbus-bin", "dbus-test-tool": "dbus-tests", "xdpyinfo": "x11-utils"}


def play(s):
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    display, address = ":" + s.output("xvfb").split()[-1], "unix:path=" + s.path("bus")
    env = {**os.environ, "DISPLAY": display, "DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": s.where, "HOME": s.where}
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address])
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))

    def call(name, path, method, *words):
        return s.out(["dbus-send", "--bus=" + address, "--print-reply", "--dest=" + name, path, method, *words])

    def owner(name):
        """The pid of the program that has this name on the bus."""
        bus = "org.freedesktop.DBus"
        if "true" not in call(bus, "/", bus + ".NameHasOwner", "string:" + name):
            return None
        return int(call(bus, "/", bus + ".GetConnectionUnixProcessID", "string:" + name).split()[-1])

    notifications = "org.freedesktop.Notifications"
    s.start("dunst", ["dunst", "-conf", "/dev/null"], env=env)
    s.start("bystander", ["dbus-test-tool", "echo", "--session", "--name=test.shop.Stock"], env=env)
    s.wait("dunst is on the bus", lambda: owner(notifications) == s.pid("dunst"))
    s.wait("the other service is on the bus", lambda: owner("test.shop.Stock") == s.pid("bystander"))
    s.start("first", ["notify-send", "--print-id", "The parcel is there"], env=env)
    s.wait("dunst shows a notification", lambda: s.output("first").strip().isdigit())

    s.begin()
    os.kill(s.pid("dunst"), signal.SIGSTOP)
    s.wait("dunst stops", lambda: s.state("dunst") == "T")
    victim = s.start("victim", ["notify-send", "--print-id", "The letter is there"], env=env)
    s.wait("notify-send waits", lambda: len(s.threads("victim")) > 1 and s.syscall("victim") in ("poll", "ppoll", "futex"))
    s.during("dunst is stopped, and has the name on the bus",
             lambda: s.state("dunst") == "T" and owner(notifications) == s.pid("dunst"))
    s.during("notify-send waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the other service answers", lambda: "method return" in call("test.shop.Stock", "/shop", "test.shop.Stock.Count"))
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display]))
    # The bus only passes the call on.
    s.hang(victim="victim", culprits=["dunst", "test"], causes=["stopped"], vague=["bus"], wrong=["bystander", "xvfb"])
    yield
    os.kill(s.pid("dunst"), signal.SIGCONT)
    s.ended("victim")
    s.check("dunst shows the notification", s.output("victim").strip().isdigit())
