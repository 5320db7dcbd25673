# SPDX-License-Identifier: GPL-2.0-or-later
"""mosquitto_rr waits for an answer through a broker. The script that answers asks a redis-server that SIGSTOP has stopped."""
import os
import signal

HELD_OUT = True
NEEDS = {"mosquitto": "mosquitto", "mosquitto_rr": "mosquitto-clients", "mosquitto_sub": "mosquitto-clients",
         "mosquitto_pub": "mosquitto-clients", "redis-server": "redis-server", "redis-cli": "redis-tools"}
ANSWER = """#!/bin/sh
mosquitto_sub -p $1 -t ask/$2 | while read -r name; do
    mosquitto_pub -p $1 -t answer/$2 -m "$(redis-cli -p $3 GET "$name")"
done
"""


def play(s):
    port = s.port()
    for name, text in (("conf", "listener %s 127.0.0.1\nallow_anonymous true\n" % port), ("answer", ANSWER)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("broker", ["mosquitto", "-c", s.path("conf")])
    s.wait("the broker listens", lambda: s.connects(port))

    def ask(topic):
        return ["mosquitto_rr", "-p", port, "-t", "ask/" + topic, "-e", "answer/" + topic, "-m", "heat", "-W", "60"]

    for topic in "cellar", "roof":
        redis = s.port()
        s.start(topic, ["redis-server", "--bind", "127.0.0.1", "--port", redis, "--save", "", "--dir", s.where])
        s.wait("redis-server answers", lambda redis=redis: s.connects(redis))
        s.out(["redis-cli", "-p", redis, "SET", "heat", "17"])
        s.start(topic + "_script", ["sh", "answer", port, topic, redis])
        s.wait("mosquitto_sub runs", lambda topic=topic: s.child(topic + "_script", "mosquitto_sub"))
        s.role(topic + "_sub", s.child(topic + "_script", "mosquitto_sub"))
        s.role(topic + "_loop", s.child(topic + "_script", "sh"))
        s.wait("the script listens", lambda topic=topic: s.out(ask(topic)[:-1] + ["1"]) == "17", 20)

    s.begin()
    os.kill(s.pid("cellar"), signal.SIGSTOP)
    s.wait("redis-server stops", lambda: s.state("cellar") == "T")
    victim = s.start("victim", ask("cellar"))

    s.wait("redis-cli runs", lambda: s.child("cellar_loop", "redis-cli"))
    s.role("cli", s.child("cellar_loop"))
    s.during("redis-server is stopped", lambda: s.state("cellar") == "T")
    s.during("the loop waits for redis-cli", lambda: s.state("cellar_loop") == "S" == s.state("cli") and
             s.child("cellar_loop") == s.pid("cli"))
    s.during("mosquitto_rr waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the broker and the other script answer", lambda: s.out(ask("roof"), timeout=5) == "17")
    s.hang(victim="victim", culprits=["cellar", "test"], causes=["stopped"],
           vague=["cli", "cellar_loop", "cellar_script", "cellar_sub", "broker"],
           wrong=["roof", "roof_script", "roof_sub", "roof_loop"])
    yield
    os.kill(s.pid("cellar"), signal.SIGCONT)
    s.ended("victim")
    s.check("the answer came", s.output("victim") == "17\n")
