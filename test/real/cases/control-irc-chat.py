# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a chat server, ngircd, waits for its users. One user writes a line a second, one only reads, one is away."""
HELD_OUT = False
NEEDS = {"ngircd": "ngircd", "nc": "netcat-openbsd"}
CONFIG = """[Global]
Name = irc.test.example
Info = shop
Listen = 127.0.0.1
Ports = %s
ServerUID = root
ServerGID = root
[Limits]
PingTimeout = 120
PongTimeout = 20
[Options]
DNS = no
Ident = no
PAM = no
"""
WRITER = ("{ printf 'NICK clerk\\r\\nUSER clerk 0 * :clerk\\r\\nJOIN #shop\\r\\n'; n=0; "
          "while sleep 1; do n=$((n+1)); printf 'PRIVMSG #shop :parcel %%d\\r\\n' $n; done; } | nc 127.0.0.1 %s")


def play(s):
    port = s.port()
    with open(s.path("conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % port)
    s.start("server", ["ngircd", "-n", "-f", s.path("conf")])
    s.wait("ngircd listens", lambda: s.connects(port))
    for name in "reader", "away":
        s.start(name, ["nc", "127.0.0.1", port], talk=True)
        s.say(name, "NICK %s\r\nUSER %s 0 * :%s\r" % (name, name, name))
        s.wait("%s is welcome" % name, lambda name=name: " 001 " in s.output(name))
    s.say("reader", "JOIN #shop\r")
    s.wait("the reader is in the room", lambda: "JOIN" in s.output("reader"))
    s.start("writer", ["sh", "-c", WRITER % port])

    def lines():
        return s.output("reader").count("PRIVMSG")

    s.wait("the first line comes", lambda: lines() > 0)

    s.begin()
    seen = [lines()]

    def chats():
        before = seen[0]
        s.wait("a new line comes", lambda: lines() > before, 4)
        seen[0] = lines()
        return True

    s.during("lines come", chats)
    s.during("the server uses little CPU", lambda: s.state("server") in "SR" and not s.uses_cpu("server", 0.1))
    s.during("the user who is away is connected", lambda: s.processes["away"][0].poll() is None)
    s.normal(victim="server", causes=["timer", "external"])
    yield
    n = lines()
    s.went_on("more lines come", lambda: lines() > n)
    s.check("a line came about each second", n >= s.seconds - 2)
