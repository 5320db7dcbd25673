# SPDX-License-Identifier: GPL-2.0-or-later
"""mosquitto_pub waits for its broker. gdb has stopped the broker, and waits for a command of its user."""
from scene import proc

HELD_OUT = True
NEEDS = {"mosquitto": "mosquitto", "mosquitto_pub": "mosquitto-clients", "mosquitto_sub": "mosquitto-clients", "gdb": "gdb"}


def play(s):
    ports = {name: s.port() for name in ("broker", "bystander")}
    for name, port in ports.items():
        s.start(name, ["mosquitto", "-p", port])
        s.wait("%s listens" % name, lambda port=port: s.connects(port))
    s.start("subscriber", ["mosquitto_sub", "-p", ports["broker"], "-t", "parcels"])

    def publish(name):
        return ["mosquitto_pub", "-h", "127.0.0.1", "-p", ports[name], "-q", "1", "-t", "parcels", "-m", "parcel"]

    def through(name):
        s.out(publish(name), timeout=5)
        return s.output("subscriber").count("parcel")

    s.wait("the broker passes messages on", lambda: through("broker"))
    through("bystander")
    s.start("gdb", ["gdb", "-q", "-nx", "-iex", "set debuginfod enabled off", "-iex", "set auto-load off"], talk=True)
    s.say("gdb", "echo ready\\n")
    s.wait("gdb is ready", lambda: "ready" in s.output("gdb"))
    before = s.output("subscriber").count("parcel")

    s.begin()
    s.say("gdb", "attach %d" % s.pid("broker"))
    s.wait("gdb stops the broker", lambda: s.state("broker") == "t")
    victim = s.start("victim", publish("broker"))
    s.say("gdb", "echo attached\\n")
    s.wait("gdb waits for a command", lambda: "attached" in s.output("gdb") and not s.uses_cpu("gdb", 0.05))
    s.during("gdb traces the broker, which is stopped", lambda: s.state("broker") == "t" and
             "TracerPid:\t%d\n" % s.pid("gdb") in proc(s.pid("broker"), "status"))
    s.during("gdb is idle", lambda: s.state("gdb") == "S")
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the other broker works", lambda: s.out(publish("bystander"), timeout=5) == "")
    # The test is the user of gdb.
    s.hang(victim="victim", culprits=["broker", "gdb", "test"], causes=["stopped", "external"],
           wrong=["bystander", "subscriber"])
    yield
    s.say("gdb", "detach")
    s.ended("victim")
    s.wait("the message came", lambda: s.output("subscriber").count("parcel") == before + 1)
