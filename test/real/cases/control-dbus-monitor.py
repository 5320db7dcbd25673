# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: dbus-monitor waits on purpose for signals of the bus. A script sends one every 0.4 s. A second dbus-monitor waits
for signals that nobody sends."""
import os

HELD_OUT = True
NEEDS = {"dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin", "dbus-monitor": "dbus-bin", "sh": "dash"}
SENDER = """
n=0
while :; do
    n=$((n + 1))
    dbus-send --session --type=signal /shop org.shop.Desk.Sold int32:$n
    sleep 0.4
done
"""


def play(s):
    address = "unix:path=" + s.path("bus")
    env = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": address}
    with open(s.path("sender"), "w", encoding="ascii") as f:
        f.write(SENDER)
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address], env=env)
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))
    for name in "Desk", "Garden":
        s.start(name, ["dbus-monitor", "--session", "type='signal',interface='org.shop.%s'" % name], env=env)
        s.wait("it monitors the bus", lambda name=name: "NameLost" in s.output(name), 20)

    s.begin()
    s.start("sender", ["sh", "sender"], env=env)

    def sold():
        return s.output("Desk").count("member=Sold")

    def goes_on():
        n = sold()
        s.wait("a signal comes", lambda: sold() > n, 3)
        return True

    s.wait("the first signal is there", lambda: sold() > 0)
    s.during("signals come", goes_on)
    s.during("the monitors mostly wait", lambda: not s.uses_cpu("Desk", 0.2, 0.2) and not s.uses_cpu("Garden", 0.2, 0.2))
    s.during("the other monitor has no signal", lambda: "org.shop" not in s.output("Garden"))
    s.normal(victim="Desk", causes=["timer", "external"])
    yield
    n = sold()
    s.check("about two signals came a second", n >= s.seconds)
    s.went_on("more signals come", lambda: sold() > n)
