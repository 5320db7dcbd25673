# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a subscriber waits on purpose for messages of a nats-server. One comes every 0.4 s. Another subject is silent."""
HELD_OUT = False
NEEDS = {"nats-server": "nats-server", "nc": "netcat-openbsd", "sh": "dash"}
PUBLISH = """
echo 'CONNECT {"verbose":false}'
n=0
while :; do
    n=$((n + 1))
    printf 'PUB %s %d\\r\\n%s\\r\\n' parcels ${#n} $n
    sleep 0.4
done
"""


def play(s):
    port = s.port()
    with open(s.path("publish"), "w", encoding="ascii") as f:
        f.write(PUBLISH)
    s.start("nats", ["nats-server", "-a", "127.0.0.1", "-p", port])
    s.wait("nats-server listens", lambda: s.connects(port))
    for name, subject in ("subscriber", "parcels"), ("idle", "letters"):
        s.start(name, ["nc", "127.0.0.1", port], talk=True)
        s.say(name, 'CONNECT {"verbose":false}\r')
        s.say(name, "SUB %s 1\r\nPING\r" % subject)
        s.wait("nats-server knows %s" % name, lambda name=name: "PONG" in s.output(name))

    s.begin()
    s.start("publisher", ["sh", "-c", "sh publish | nc 127.0.0.1 %s" % port])

    def came():
        return s.output("subscriber").count("MSG parcels")

    def goes_on():
        n = came()
        s.wait("a message comes", lambda: came() > n, 3)
        return True

    s.during("messages come", goes_on)
    s.during("the subscriber waits", lambda: s.syscall("subscriber") in ("poll", "ppoll") and not s.uses_cpu("nats", 0.3, 0.2))
    s.during("the other subject is silent", lambda: "MSG" not in s.output("idle"))
    s.normal(victim="subscriber", causes=["timer", "external"])
    yield
    n = came()
    s.went_on("more messages come", lambda: came() > n)
    s.check("a message came about every 0.4 s", n > s.seconds)
