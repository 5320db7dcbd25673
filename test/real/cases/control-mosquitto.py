# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: subscribers of an idle MQTT broker wait on purpose for messages that nobody has sent yet."""
HELD_OUT = False
NEEDS = {"mosquitto": "mosquitto", "mosquitto_sub": "mosquitto-clients", "mosquitto_pub": "mosquitto-clients"}


def play(s):
    port = s.port()
    s.start("broker", ["mosquitto", "-v", "-p", port], user="mosquitto")
    s.wait("mosquitto answers", lambda: s.connects(port))
    for name in "subscriber", "bystander":
        s.start(name, ["mosquitto_sub", "-h", "127.0.0.1", "-p", port, "-C", "1", "-t", name])
    s.wait("both have subscribed", lambda: s.output("broker").count("Sending SUBACK") == 2)

    s.begin()
    s.during("no message is there", lambda: "PUBLISH" not in s.output("broker"))
    s.during("the subscriber waits", lambda: s.state("subscriber") == "S" and s.output("subscriber") == "")
    s.normal(victim="subscriber", causes=["external", "timer"])
    yield
    s.out(["mosquitto_pub", "-h", "127.0.0.1", "-p", port, "-t", "subscriber", "-m", "hello"])
    s.ended("subscriber")
    s.check("the message came", s.output("subscriber") == "hello\n")
