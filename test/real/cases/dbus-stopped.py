# SPDX-License-Identifier: GPL-2.0-or-later
"""dbus-send calls a D-Bus service that SIGSTOP has stopped. Other services and clients of the bus are idle."""
import os
import signal

HELD_OUT = True
NEEDS = {"dbus-daemon": "dbus-daemon", "dbus-test-tool": "dbus-tests", "dbus-send": "dbus-bin", "dbus-monitor": "dbus-bin"}


def play(s):
    address = "unix:path=" + s.path("bus")
    env = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address])
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))

    def call(name):
        return ["dbus-send", "--session", "--print-reply", "--reply-timeout=60000", "--dest=test.shop." + name, "/shop",
                "test.shop.Stock.Count"]

    def ask(*words):
        return s.out(["env", "DBUS_SESSION_BUS_ADDRESS=" + address, *words])

    def has_owner(name):
        """Before a service owns its name, a call fails: the bus looks for a file that could start it."""
        return "boolean true" in ask("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus",
                                     "/org/freedesktop/DBus", "org.freedesktop.DBus.NameHasOwner",
                                     "string:test.shop." + name)

    for name in "service", "bystander":
        s.start(name, ["dbus-test-tool", "echo", "--session", "--name=test.shop." + name], env=env)
        s.wait("%s owns its name" % name, lambda name=name: has_owner(name))
        s.wait("%s answers" % name, lambda name=name: "method return" in ask(*call(name)))
    s.start("listener", ["dbus-monitor", "--session", "type='signal'"], env=env)
    s.wait("the listener listens", lambda: "NameLost" in s.output("listener"))

    s.begin()
    s.processes["service"][0].send_signal(signal.SIGSTOP)
    s.wait("the service stops", lambda: s.state("service") == "T")
    victim = s.start("victim", call("service"), env=env)
    s.wait("the client waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("the service is stopped", lambda: s.state("service") == "T")
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("poll", "ppoll"))
    s.during("the bus is idle", lambda: s.state("bus") == "S")
    s.hang(victim="victim", culprits=["service", "test"], causes=["stopped"], vague=["bus"], wrong=["bystander", "listener"])
    yield
    s.processes["service"][0].send_signal(signal.SIGCONT)
    s.ended("victim")
    s.check("the answer came", "method return" in s.output("victim"))
