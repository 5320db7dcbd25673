# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli SET waits for redis-server, which takes no writes: an administrator has asked for a failover, and the server waits
until its replica has the whole log. The replica computes: it runs a Lua script, and does not read the log meanwhile."""
import re

HELD_OUT = True
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools"}
REPORT = "local n = 0 while true do n = n + 1 end"


def play(s):
    ports = {name: s.port() for name in ("server", "replica", "other")}
    for name, port in ports.items():
        follow = ["--replicaof", "127.0.0.1", ports["server"]] if name == "replica" else []
        s.out(["mkdir", name])
        s.start(name, ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.path(name),
                       "--repl-diskless-sync-delay", "0", "--lua-time-limit", "200", *follow])
        s.wait("%s answers" % name, lambda port=port: s.connects(port))

    def cli(name, *words):
        return ["redis-cli", "-p", ports[name], *words]

    def ask(name, *words):
        return s.out(cli(name, *words), timeout=10)

    s.wait("the replica follows the server", lambda: ask("server", "info", "replication").count("state=online") == 1, 20)
    s.check("the server takes a write", ask("server", "set", "stock", "6") == "OK")
    s.wait("the replica has the write", lambda: ask("replica", "get", "stock") == "6")

    s.start("analyst", cli("replica", "eval_ro", REPORT, "0"))
    s.wait("the replica is busy", lambda: "BUSY" in ask("replica", "get", "stock"))
    s.check("the server has a write that the replica lacks", ask("server", "set", "stock", "7") == "OK")
    s.check("the failover begins", ask("server", "failover", "to", "127.0.0.1", ports["replica"]) == "OK")

    s.begin()
    victim = s.start("victim", cli("server", "set", "stock", "8"))

    def state():
        return re.search(r"master_failover_state:([\w-]+)", ask("server", "info", "replication")).group(1)

    def asked():
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + ports["server"]]).splitlines()
        return any("pid=%d," % victim.pid in row for row in rows)

    s.wait("the client is connected", asked)
    s.during("the server waits for the replica", lambda: state() == "waiting-for-sync")
    s.during("the replica computes", lambda: s.uses_cpu("replica", 0.15) and "BUSY" in ask("replica", "get", "stock"))
    s.during("the server is idle, and lets its clients read", lambda: not s.uses_cpu("server", 0.2, 0.2) and
             ask("server", "get", "stock") == "7")
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the other server takes writes", lambda: ask("other", "set", "stock", "1") == "OK")
    s.hang(victim="victim", culprits=["replica"], causes=["busy"], vague=["server"], wrong=["other", "analyst", "test"])
    yield
    s.check("the script is ended", ask("replica", "script", "kill") == "OK")
    s.ended("victim")
    s.check("the roles are changed", "READONLY" in s.output("victim") and "role:master" in ask("replica", "info", "replication"))
