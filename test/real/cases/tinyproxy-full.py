# SPDX-License-Identifier: GPL-2.0-or-later
"""Nobody accepts curl's connection to tinyproxy, which serves two clients at a time. Both clients have asked for pages of a
webfsd that SIGSTOP has stopped. curl's own page is of another webfsd, which works."""
import signal

HELD_OUT = False
NEEDS = {"tinyproxy": "tinyproxy", "webfsd": "webfs", "curl": "curl", "ss": "iproute2"}
CLIENTS = 2
CONFIG = """Port %s
Listen 127.0.0.1
Timeout 600
MaxClients %d
LogLevel Info
LogFile "%s"
"""


def play(s):
    ports = {name: s.port() for name in ("proxy", "origin", "other")}
    with open(s.path("proxy.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % (ports["proxy"], CLIENTS, s.path("proxy.log")))
    with open(s.path("page"), "w", encoding="ascii") as f:
        f.write("parcels\n")
    for name in "origin", "other":
        s.start(name, ["webfsd", "-F", "-i", "127.0.0.1", "-p", ports[name], "-r", s.where])
        s.wait("%s listens" % name, lambda name=name: s.connects(ports[name]))
    s.start("proxy", ["tinyproxy", "-d", "-c", s.path("proxy.conf")])
    s.wait("tinyproxy listens", lambda: s.connects(ports["proxy"]))

    def curl(origin):
        return ["curl", "-sS", "-x", "http://127.0.0.1:" + ports["proxy"], "http://127.0.0.1:%s/page" % ports[origin]]

    for name in "origin", "other":
        s.check("the page comes", s.out(curl(name)) == "parcels")
    s.wait("tinyproxy serves nobody", lambda: len(s.threads("proxy")) == 1)

    def sockets(side, port):
        """[bytes that the program has not read] of the established connections, also of those that nobody accepted."""
        return [int(line.split()[0]) for line in
                s.out(["ss", "-tnH", "state", "established", "%s = :%s" % (side, port)]).splitlines()]

    def queued():
        """The connections that tinyproxy has not accepted."""
        return int(s.out(["ss", "-tlnH", "sport = :" + ports["proxy"]]).split()[1])

    s.begin()
    s.processes["origin"][0].send_signal(signal.SIGSTOP)
    s.wait("webfsd stops", lambda: s.state("origin") == "T")
    for i in range(CLIENTS):
        s.start("client%d" % i, curl("origin"))
    s.wait("tinyproxy has a thread for each client", lambda: len(s.threads("proxy")) == 1 + CLIENTS)
    s.wait("webfsd has their questions", lambda: len(sockets("sport", ports["origin"])) == CLIENTS and
           all(sockets("sport", ports["origin"])))
    for i, tid in enumerate(t for t in s.threads("proxy") if t != s.pid("proxy")):
        s.role("thread%d" % i, s.pid("proxy"), tid)
    victim = s.start("victim", curl("other"))
    s.wait("nobody accepts the connection", lambda: queued() == 1)
    s.during("nobody accepts the connection", lambda: queued() == 1)
    s.during("webfsd is stopped, and has not read its questions", lambda: s.state("origin") == "T" and
             all(sockets("sport", ports["origin"])))
    s.during("tinyproxy's threads wait", lambda: len(s.threads("proxy")) == 1 + CLIENTS and
             all(s.state("thread%d" % i) == "S" for i in range(CLIENTS)))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the other webfsd answers", lambda: s.out(["curl", "-sS", "http://127.0.0.1:%s/page" % ports["other"]],
                                                       timeout=5) == "parcels")
    s.hang(victim="victim", culprits=["origin", "test"], causes=["stopped", "queueing"], vague=["proxy", "thread0", "thread1"],
           wrong=["other", "client0", "client1"])
    yield
    s.processes["origin"][0].send_signal(signal.SIGCONT)
    s.ended("victim")
    for i in range(CLIENTS):
        s.ended("client%d" % i)
    s.check("the page came", s.output("victim") == "parcels\n")
