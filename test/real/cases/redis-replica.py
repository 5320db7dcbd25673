# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli WAIT waits until two replicas have a write. SIGSTOP has stopped one replica; the server works."""
import re
import signal

HELD_OUT = False
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools"}


def play(s):
    ports = {name: s.port() for name in ("server", "replica", "bystander")}
    for name, port in ports.items():
        follow = [] if name == "server" else ["--replicaof", "127.0.0.1", ports["server"]]
        s.out(["mkdir", name])
        s.start(name, ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.path(name),
                       "--repl-diskless-sync-delay", "0", *follow])
        s.wait("%s answers" % name, lambda port=port: s.connects(port))

    def ask(*words):
        return s.out(["redis-cli", "-p", ports["server"], *words])

    s.wait("both replicas follow the server", lambda: ask("info", "replication").count("state=online") == 2, 20)
    s.check("both replicas are quick", s.out(["sh", "-c", "printf 'SET stock 6\\nWAIT 2 5000\\n' | redis-cli -p %s"
                                              % ports["server"]]).split() == ["OK", "2"])

    s.begin()
    s.processes["replica"][0].send_signal(signal.SIGSTOP)
    s.wait("the replica stops", lambda: s.state("replica") == "T")
    victim = s.start("victim", ["redis-cli", "-p", ports["server"]], talk=True)
    s.say("victim", "SET stock 7")
    s.say("victim", "WAIT 2 0")
    s.wait("the client waits", lambda: "cmd=wait" in ask("client", "list"))

    def behind():
        said = ask("info", "replication")
        end = int(re.search(r"master_repl_offset:(\d+)", said).group(1))
        return [port for port, offset in re.findall(r"port=(\d+),state=online,offset=(\d+)", said) if int(offset) < end]

    def only_one_behind():
        """Waits until only one replica is behind. The other replica reports its offset once a second, so it may be
        behind for a moment."""
        s.wait("only one replica is behind", lambda: behind() == [ports["replica"]], 3)
        return True

    s.during("the replica is stopped", lambda: s.state("replica") == "T")
    s.during("only this replica lacks the write", only_one_behind)
    s.during("the server has the client's WAIT, and answers others",
             lambda: "cmd=wait" in ask("client", "list") and ask("get", "stock") == "7")
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.output("victim").split() == ["OK"])
    s.hang(victim="victim", culprits=["replica", "test"], causes=["stopped"], vague=["server"], wrong=["bystander"])
    yield
    s.processes["replica"][0].send_signal(signal.SIGCONT)
    s.went_on("the client has its answer", lambda: s.output("victim").split() == ["OK", "2"])
