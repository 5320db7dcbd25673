# SPDX-License-Identifier: GPL-2.0-or-later
"""A monitor asks zabbix_agentd, which has one process for questions. This process serves another monitor: its script
looks three times a second for a new file of a sensor, and no file comes."""
import os
import socket
import struct

from scene import Missing, children, descendants, proc

HELD_OUT = True
NEEDS = {"zabbix_agentd": "zabbix-agent", "perl": "perl", "nc": "netcat-openbsd", "ss": "iproute2"}
CONFIG = """LogType=console
ListenIP=127.0.0.1
ListenPort={port}
Server=127.0.0.1
StartAgents=1
Timeout=30
AllowRoot=1
UserParameter=cellar.heat,exec perl {w}/heat.pl {w}/heat
UserParameter=shop.stock,cat {w}/stock
"""
HEAT = """
until (-e $ARGV[0]) { select undef, undef, undef, 0.3 }
open my $f, "<", $ARGV[0] or die;
print <$f>;
"""


def play(s):
    port = low_port()
    for name, text in ("agent.conf", CONFIG.format(port=port, w=s.where)), ("heat.pl", HEAT), ("stock", "17\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    agent = s.start("agent", ["zabbix_agentd", "-f", "-c", s.path("agent.conf")])

    def ask(key):
        with open(s.path(key), "wb") as f:  # the protocol of zabbix
            f.write(b"ZBXD\1" + struct.pack("<Q", len(key)) + key.encode())
        return ["sh", "-c", "exec nc 127.0.0.1 %s <%s" % (port, s.path(key))]

    s.wait("the agent listens", lambda: "listener #1" in "".join(
        proc(pid, "cmdline") for pid in children(agent.pid)) and s.connects(port))
    s.wait("the agent answers", lambda: s.out(ask("shop.stock")).endswith("17"))
    s.role("listener", next(p for p in children(agent.pid) if "listener #1" in proc(p, "cmdline")))
    other = s.start("other", ask("cellar.heat"))
    s.wait("the script runs", lambda: any(proc(p, "comm") == "perl\n" for p in descendants(s.pid("listener"))))
    s.role("script", next(p for p in descendants(s.pid("listener")) if proc(p, "comm") == "perl\n"))

    def queued():
        """The connections that the agent has not accepted."""
        return int(s.out(["ss", "-tlnH", "sport = :" + port]).split()[1])

    s.begin()
    victim = s.start("victim", ask("shop.stock"))
    s.wait("nobody accepts the connection", lambda: queued() == 1)
    s.wait("nc waits", lambda: proc(victim.pid, "comm") == "nc\n" and s.state("victim") == "S")
    s.during("nobody accepts the connection", lambda: queued() == 1)
    s.during("the agent's only listener waits for the script", lambda: s.state("listener") == "S" and
             s.pid("script") in descendants(s.pid("listener")) and
             len([p for p in children(agent.pid) if "listener" in proc(p, "cmdline")]) == 1)

    def sleeps():
        """How often the script has slept."""
        lines = proc(s.pid("script"), "status").splitlines()
        return int(next(x for x in lines if x.startswith("voluntary_ctxt")).split()[1])

    def looks():
        before = sleeps()
        s.wait("the script looks again", lambda: sleeps() > before, 3)
        return s.syscall("script") in ("select", "pselect6", "running") and not os.path.exists(s.path("heat"))

    s.during("the script looks for the file again and again", looks)
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.output("victim") == "")
    s.hang(victim="victim", culprits=["script"], causes=["polling", "timer"], vague=["listener", "agent", "other"])
    yield
    with open(s.path("heat.new"), "w", encoding="ascii") as f:
        f.write("21\n")
    os.rename(s.path("heat.new"), s.path("heat"))
    s.ended("victim")
    s.wait("the other monitor has its answer", lambda: other.poll() == 0 and s.output("other").endswith("21"))
    s.check("the stock came", s.output("victim").endswith("17"))


def low_port():
    """A free port that zabbix_agentd accepts: it wants one below 32768."""
    for port in range(20000 + os.getpid() % 10000, 32000):
        with socket.socket() as c:
            if c.connect_ex(("127.0.0.1", port)):
                return str(port)
    raise Missing("no free port")
