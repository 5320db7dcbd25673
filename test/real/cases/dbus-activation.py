# SPDX-License-Identifier: GPL-2.0-or-later
"""dbus-send waits for a service that the bus starts. The service first waits for a file lock. The lock's owner sleeps."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin", "dbus-test-tool": "dbus-tests", "flock": "util-linux"}
CONFIG = """<busconfig><type>session</type><listen>unix:path=%s</listen><servicedir>%s</servicedir>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
"""


def play(s):
    address, lock = "unix:path=" + s.path("bus"), s.path("stock.lock")
    os.mkdir(s.path("services"))
    for name, file in ("Stock", "stock"), ("Clock", "clock"):
        with open(s.path(file), "w", encoding="ascii") as f:
            f.write("#!/bin/sh\nflock %s.lock true\nexec dbus-test-tool echo --session --name=test.shop.%s\n" %
                    (s.path(file), name))
        os.chmod(s.path(file), 0o755)
        with open(s.path("services/test.shop.%s.service" % name), "w", encoding="ascii") as f:
            f.write("[D-BUS Service]\nName=test.shop.%s\nExec=%s\n" % (name, s.path(file)))
    with open(s.path("bus.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % (s.path("bus"), s.path("services")))
    s.start("bus", ["dbus-daemon", "--nofork", "--nopidfile", "--config-file=" + s.path("bus.conf")])
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))

    def call(name):
        return ["dbus-send", "--bus=" + address, "--print-reply", "--reply-timeout=60000", "--dest=test.shop." + name,
                "/shop", "test.shop.Stock.Count"]

    s.check("the bus starts another service", "method return" in s.out(call("Clock")))
    s.role("bystander", next(pid for pid in s.living() if proc(pid, "comm") == "dbus-test-tool\n"))
    owner = s.start("owner", ["flock", lock, "sleep", s.seconds + 3])
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [owner.pid] and s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))

    s.begin()
    victim = s.start("victim", call("Stock"))
    s.wait("the service waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("taker", s.locks(lock)["waiters"][0])
    s.role("service", int(proc(s.pid("taker"), "status").partition("PPid:")[2].split()[0]))
    s.check("the bus has started the service", proc(s.pid("service"), "comm") == "stock\n")
    s.during("the service waits for the owner's lock",
             lambda: s.locks(lock) == {"owners": [owner.pid], "waiters": [s.pid("taker")]})
    s.during("dbus-send waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the bus and another service answer", lambda: "method return" in s.out(call("Clock")))
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"], vague=["bus", "service", "taker"],
           wrong=["bystander", "test"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.check("the service has answered", "method return" in s.output("victim"))
