# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: redis-sentinel asks a redis-server and its replica once a second whether they live. Both answer at once."""
import re

HELD_OUT = True
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "redis-sentinel": "redis-sentinel"}


def play(s):
    ports = {name: s.port() for name in ("server", "replica", "sentinel")}
    for name in "server", "replica":
        follow = ["--replicaof", "127.0.0.1", ports["server"]] if name == "replica" else []
        s.out(["mkdir", name])
        s.start(name, ["redis-server", "--bind", "127.0.0.1", "--port", ports[name], "--save", "", "--dir", s.path(name),
                       "--repl-diskless-sync-delay", "0", *follow])
        s.wait("%s answers" % name, lambda name=name: s.connects(ports[name]))
    with open(s.path("sentinel.conf"), "w", encoding="ascii") as f:
        f.write("bind 127.0.0.1\nport %s\ndir %s\nsentinel monitor shop 127.0.0.1 %s 1\n"
                "sentinel down-after-milliseconds shop 60000\n" % (ports["sentinel"], s.where, ports["server"]))
    s.start("sentinel", ["redis-sentinel", s.path("sentinel.conf")])
    s.wait("sentinel answers", lambda: s.connects(ports["sentinel"]))

    def ask(name, *words):
        return s.out(["redis-cli", "-p", ports[name], *words], timeout=10)

    def watched():
        return re.search("status=ok,.*slaves=1", ask("sentinel", "info", "sentinel")) is not None

    s.wait("sentinel knows both servers", watched, 20)

    def pings():
        return int(re.search(r"cmdstat_ping:calls=(\d+)", ask("server", "info", "commandstats")).group(1))

    s.wait("sentinel asks", lambda: pings() > 1)

    s.begin()
    began = pings()
    s.during("all is well", lambda: watched() and "+sdown" not in s.output("sentinel"))
    s.during("the replica follows", lambda: "state=online" in ask("server", "info", "replication"))
    s.normal(victim="sentinel", causes=["timer", "external"])
    yield
    n = pings()
    s.check("sentinel asked about once a second", n - began >= s.seconds - 2)
    s.went_on("sentinel asks on", lambda: pings() > n)
