# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: dig asks unbound for a new name, five times a second. unbound asks dnsmasq, which answers at once."""
HELD_OUT = False
NEEDS = {"unbound": "unbound", "dnsmasq": "dnsmasq-base", "dig": "bind9-dnsutils"}

UNBOUND = """server:
 interface: 127.0.0.1
 port: %(front)s
 num-threads: 4
 do-not-query-localhost: no
 do-daemonize: no
 use-syslog: no
 chroot: ""
 username: ""
 directory: "%(where)s"
 pidfile: ""
 module-config: "iterator"
 local-zone: "test." nodefault
forward-zone:
 name: "."
 forward-addr: 127.0.0.1@%(back)s
"""
LOOP = """
n=0
while :; do
    n=$((n + 1))
    dig @127.0.0.1 -p %s +tries=1 +time=5 item$n.shop.test |
        awk '/Query time:/ { ms = $4 } $4 == "A" { to = $5 } END { print ms, to }'
    sleep 0.2
done
"""


def play(s):
    front, back = s.port(), s.port()
    with open(s.path("unbound.conf"), "w", encoding="utf-8") as f:
        f.write(UNBOUND % {"front": front, "back": back, "where": s.where})
    s.start("dnsmasq", ["dnsmasq", "-k", "-C", "/dev/null", "-R", "-h", "--log-facility=-", "--user=root", "-x",
                        "--listen-address=127.0.0.1", "--bind-interfaces", "-p", back, "--address=/shop.test/192.0.2.7"])
    s.start("unbound", ["unbound", "-d", "-p", "-c", s.path("unbound.conf")])
    dig = ["dig", "@127.0.0.1", "-p", front, "+short", "+tries=1", "+time=5", "first.shop.test"]
    s.wait("unbound has its threads", lambda: len(s.threads("unbound")) == 4)
    s.check("unbound answers", s.out(dig) == "192.0.2.7")

    s.begin()
    s.start("client", ["sh", "-c", LOOP % front])

    def answers():
        return [line.split() for line in s.output("client").splitlines(keepends=True) if line.endswith("\n")]

    s.wait("the first answers come", lambda: len(answers()) > 2)
    s.during("every answer comes at once", lambda: all(to == "192.0.2.7" and int(ms) < 300 for ms, to in answers()))
    s.during("the loop goes on", lambda: len(answers()) > 2)
    s.normal(victim="client", causes=["timer"])
    yield
    n = len(answers())
    s.went_on("more answers come", lambda: len(answers()) > n)
    s.check("the loop got its answers", n > 3 * (s.seconds - 1))
