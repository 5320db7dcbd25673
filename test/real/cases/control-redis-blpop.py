# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a consumer blocks in BLPOP on purpose. A producer pushes one job a second, and each job arrives at once."""
HELD_OUT = False
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools"}


def play(s):
    port = s.port()
    s.start("server", ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.where])
    s.wait("redis-server answers", lambda: s.connects(port))
    s.start("subscriber", ["redis-cli", "-p", port, "SUBSCRIBE", "news"])
    s.wait("the subscriber has subscribed", lambda: "subscribe" in s.output("subscriber"))

    s.begin()
    s.start("consumer", ["redis-cli", "-p", port, "-r", "-1", "BLPOP", "jobs", "0"])
    s.start("producer", ["sh", "-c", "while :; do redis-cli -p %s LPUSH jobs parcel; sleep 1; done" % port])

    def jobs():
        return s.output("consumer").count("parcel"), s.output("producer").count("\n")

    s.wait("the first jobs come", lambda: jobs()[0] > 1)
    # One job may be on its way while the test counts.
    s.during("no job waits", lambda: abs(jobs()[0] - jobs()[1]) <= 1)
    s.normal(victim="consumer", causes=["timer"])
    yield
    n = jobs()[0]
    s.went_on("more jobs come", lambda: jobs()[0] > n + 1)
    s.check("a job came about each second", n >= s.seconds - 2)
