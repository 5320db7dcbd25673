# SPDX-License-Identifier: GPL-2.0-or-later
"""curl cannot connect: the kernel drops its SYNs, because the queue of socat's listening socket is full. socat serves one
client at a time. For its first client, it runs a script that sleeps."""
import os

from scene import children, proc

HELD_OUT = False
NEEDS = {"socat": "socat", "curl": "curl", "nc": "netcat-openbsd", "ss": "iproute2"}
DESK = """
read question
if test ! -e enough; then sleep 60; fi
printf 'HTTP/1.0 200 OK\\r\\n\\r\\nparcel\\n'
"""


def play(s):
    port, other = s.port(), s.port()
    with open(s.path("desk"), "w", encoding="ascii") as f:
        f.write(DESK)
    with open(s.path("enough"), "w", encoding="ascii"):
        pass

    def get(number):
        return ["curl", "-sS", "http://127.0.0.1:%s/" % number]

    def rows(*which):
        return s.out(["ss", "-tnpH", *which]).splitlines()

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + port]).split()[1])

    for name, number in ("socat", port), ("bystander", other):
        listen = "TCP-LISTEN:%s,bind=127.0.0.1,fork,max-children=1,backlog=1,reuseaddr" % number
        s.start(name, ["socat", listen, "EXEC:sh desk"])
        s.wait("socat listens", lambda number=number: s.out(["ss", "-ltnH", "sport = :" + number]))
        s.check("a page comes", s.out(get(number)) == "parcel")
    s.wait("socat is idle", lambda: not children(s.pid("socat")))
    os.unlink(s.path("enough"))
    s.start("first", ["nc", "127.0.0.1", port], talk=True)
    s.say("first", "GET /")

    def sleeper():
        for child in children(s.pid("socat")):
            for desk in children(child):
                for pid in children(desk):
                    if proc(pid, "comm") == "sleep\n":
                        return child, desk, pid
        return None

    s.wait("the script sleeps", sleeper)
    for name, pid in zip(("socat_child", "desk", "sleep"), sleeper()):
        s.role(name, pid)
    for i in range(2):
        s.start("next%d" % i, ["nc", "127.0.0.1", port], talk=True)
        s.wait("it is in the queue", lambda i=i: unaccepted() == i + 1)

    s.begin()
    victim = s.start("victim", get(port))
    s.wait("the victim sends SYNs", lambda: rows("state", "syn-sent", "dport = :" + port))
    s.during("the victim cannot connect", lambda: victim.poll() is None and s.state("victim") == "S" and
             "pid=%d," % victim.pid in rows("state", "syn-sent", "dport = :" + port)[0])
    s.during("the queue is full", lambda: unaccepted() == 2)
    s.during("the script for the first client sleeps", lambda: sleeper() == tuple(
        s.pid(x) for x in ("socat_child", "desk", "sleep")))
    s.during("socat waits for its child", lambda: s.state("socat") == "S" and
             children(s.pid("socat")) == [s.pid("socat_child")])
    s.hang(victim="victim", culprits=["sleep", "desk"], causes=["queueing", "timer", "slow-peer"],
           vague=["socat", "socat_child"], wrong=["bystander", "next0", "next1", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    for i in range(2):
        s.say("next%d" % i, "GET /")
    os.kill(s.pid("sleep"), 15)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "parcel\n")
