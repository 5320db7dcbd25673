# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: chronyd asks a time server once a second, and sleeps in between. The time server, another chronyd, answers at
once. Neither sets the clock."""
import os

HELD_OUT = False
NEEDS = {"chronyd": "chrony"}
COMMON = """
user root
pidfile %(dir)s/pid
driftfile %(dir)s/drift
bindcmdaddress %(dir)s/command
cmdport 0
"""
SERVER = COMMON + """
port %(port)s
bindaddress 127.0.0.1
allow 127.0.0.1
local stratum 5
"""
CLIENT = COMMON + """
port 0
server 127.0.0.1 port %(port)s minpoll 0 maxpoll 0
logdir %(dir)s
log rawmeasurements
"""


def play(s):
    port = s.port()
    for name, text in ("server", SERVER), ("client", CLIENT):
        os.mkdir(s.path(name), 0o750)
        with open(s.path(name + ".conf"), "w", encoding="ascii") as f:
            f.write(text % {"dir": s.path(name), "port": port})
        s.start(name, ["chronyd", "-d", "-x", "-f", s.path(name + ".conf")])  # -x: does not set the clock
        s.wait("%s starts" % name, lambda name=name: "starting" in s.output(name), 20)

    def measured():
        with open(s.path("client/measurements.log"), encoding="ascii") as f:
            return sum(1 for line in f if " 127.0.0.1 " in line)

    s.wait("the client has measured", lambda: measured() > 1, 20)
    s.begin()

    def goes_on():
        n = measured()
        s.wait("the client measures again", lambda: measured() > n, 4)
        return True

    s.during("the client measures", goes_on)
    s.during("both mostly wait", lambda: not s.uses_cpu("client", 0.2, 0.2) and not s.uses_cpu("server", 0.2, 0.2))
    s.normal(victim="client", causes=["timer", "external"])
    before = measured()
    yield
    n = measured()
    s.went_on("the client goes on", lambda: measured() > n)
    s.check("it measured about once a second", n - before >= s.seconds - 3)
