# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli waits behind two stunnels for a redis-server. For another client, the server sleeps in DEBUG SLEEP."""
HELD_OUT = False
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "stunnel": "stunnel4", "openssl": "openssl"}


def play(s):
    ports = {name: s.port() for name in ("redis", "bystander", "far", "near")}
    for name in "redis", "bystander":
        s.start(name, ["redis-server", "--bind", "127.0.0.1", "--port", ports[name], "--save", "", "--dir", s.where,
                       "--enable-debug-command", "yes"])
        s.wait("%s answers" % name, lambda name=name: s.connects(ports[name]))
    s.out(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
           "-subj", "/CN=shop", "-keyout", s.path("key"), "-out", s.path("cert")])
    for name, text in (("far", "cert = %s\nkey = %s\naccept = 127.0.0.1:%s\nconnect = 127.0.0.1:%s\n"
                        % (s.path("cert"), s.path("key"), ports["far"], ports["redis"])),
                       ("near", "client = yes\nCAfile = %s\nverifyPeer = yes\naccept = 127.0.0.1:%s\nconnect = 127.0.0.1:%s\n"
                        % (s.path("cert"), ports["near"], ports["far"]))):
        with open(s.path(name + ".conf"), "w", encoding="utf-8") as f:
            f.write("foreground = yes\npid =\n[redis]\n" + text)
        s.start(name, ["stunnel", s.path(name + ".conf")])
        s.wait("%s listens" % name, lambda name=name: s.connects(ports[name]))

    def cli(port, *words):
        return ["redis-cli", "-p", ports[port], *words]

    s.wait("redis answers through both stunnels", lambda: s.out(cli("near", "SET", "stock", "17")) == "OK")
    s.start("reader", cli("near", "SUBSCRIBE", "news"))
    s.wait("the reader has subscribed", lambda: "subscribe" in s.output("reader"))
    sleeper = s.start("sleeper", cli("redis", "DEBUG", "SLEEP", s.seconds + 2))
    s.wait("redis sleeps", lambda: s.syscall("redis") in ("nanosleep", "clock_nanosleep"))

    s.begin()
    victim = s.start("victim", cli("near", "GET", "stock"))

    def unread():
        return sum(int(line.split()[0]) for line in
                   s.out(["ss", "-tnH", "state", "established", "sport = :" + ports["redis"]]).splitlines())

    s.wait("the question is with redis", lambda: unread() > 0)
    s.during("redis sleeps, and has not read the question", lambda: s.syscall("redis") in ("nanosleep", "clock_nanosleep")
             and unread() > 0)
    s.during("both clients wait", lambda: victim.poll() is None and sleeper.poll() is None and s.state("victim") == "S")
    s.during("both stunnels sleep", lambda: s.state("near") == s.state("far") == "S")
    s.during("the other redis works", lambda: s.out(cli("bystander", "PING"), timeout=2) == "PONG")
    s.hang(victim="victim", culprits=["redis", "sleeper"], causes=["timer"], vague=["far", "near"],
           wrong=["bystander", "reader", "test"])
    yield
    s.ended("sleeper")
    s.ended("victim")
    s.check("the answer came", s.output("victim").strip() == "17")
