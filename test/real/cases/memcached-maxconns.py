# SPDX-License-Identifier: GPL-2.0-or-later
"""nc waits for memcached, which accepts no more connections: it has as many as it may have. A report has nearly all of
them, because it never gives them back. It sleeps until its next round."""
HELD_OUT = False
NEEDS = {"memcached": "memcached", "nc": "netcat-openbsd", "python3": "python3"}
REPORT = """import socket
import sys
import time
pool = []
def connect():
    c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    c.settimeout(2)
    c.sendall(b"get stock\\r\\n")
    try:
        return c if c.recv(100).startswith(b"VALUE stock") else None
    except TimeoutError:
        c.close()
        return None
while (c := connect()) is not None:
    pool.append(c)
pool.pop().close()  # the request without an answer goes too
time.sleep(0.5)
pool.append(connect())
print(len(pool), "connections", flush=True)
sys.stdin.readline()
print("sleeps", flush=True)
time.sleep(float(sys.argv[2]))
"""


def play(s):
    port = s.port()
    with open(s.path("report.py"), "w", encoding="ascii") as f:
        f.write(REPORT)
    s.start("memcached", ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", port, "-t", "2", "-c", "100",
                          "-o", "no_maxconns_fast"])
    s.wait("memcached answers", lambda: s.connects(port))
    s.start("monitor", ["nc", "127.0.0.1", port], talk=True)
    s.check("a value is stored", s.ask("monitor", "set stock 0 0 2\r\n17\r") == "STORED")

    def stat(name):
        before = s.output("monitor").count("END\n")
        s.say("monitor", "stats\r")
        s.wait("memcached answers the monitor", lambda: s.output("monitor").count("END\n") > before)
        return s.output("monitor").rsplit("STAT %s " % name, 1)[1].split()[0]

    def connections(what):
        """The numbers of a process's connections to memcached, or of those that nobody has accepted."""
        if what == "backlog":
            return int(s.out(["ss", "-ltnH", "sport = :" + port]).split()[1])
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + port]).splitlines()
        return sum("pid=%d," % s.pid(what) in r for r in rows)

    s.check("memcached accepts", stat("accepting_conns") == "1")
    report = s.start("report", ["/usr/bin/python3", "report.py", port, s.seconds + 2], talk=True)
    s.wait("the report has many connections", lambda: "connections" in s.output("report"))
    many = connections("report")
    s.check("it has nearly all", many > 40)
    s.say("report", "go on")
    s.wait("the report sleeps", lambda: "sleeps" in s.output("report") and "nanosleep" in s.syscall("report"))

    s.begin()
    victim = s.start("victim", ["nc", "127.0.0.1", port], talk=True)
    s.say("victim", "get stock\r\nquit\r")
    victim.stdin.close()
    s.wait("the connection is not accepted", lambda: connections("backlog") == connections("victim") == 1)
    s.during("memcached accepts nobody", lambda: stat("accepting_conns") == "0"
             and connections("backlog") == connections("victim") == 1)
    s.during("the report has nearly all connections, and sleeps",
             lambda: connections("report") == many and "nanosleep" in s.syscall("report"))
    s.during("the victim waits", lambda: victim.poll() is None and report.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["report"], causes=["timer", "queueing"], vague=["memcached"],
           wrong=["monitor", "test"])
    yield
    s.ended("report")
    s.ended("victim")
    s.check("the value came", "VALUE stock 0 2\n17\nEND" in s.output("victim"))
