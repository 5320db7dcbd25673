# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits in a queue of haproxy, which gives one connection at a time to the server. Another curl has it: this curl
is stopped in the midst of its download, and haproxy cannot send it more."""
import os
import signal
import socket

HELD_OUT = False
NEEDS = {"haproxy": "haproxy", "webfsd": "webfs", "curl": "curl"}
CONF = """global
    stats socket %s mode 600
defaults
    mode http
    timeout connect 5s
    timeout client 100s
    timeout server 100s
    timeout queue 100s
listen shop
    bind 127.0.0.1:%s
    server files 127.0.0.1:%s maxconn 1
listen other
    bind 127.0.0.1:%s
    server files 127.0.0.1:%s
"""


def play(s):
    port, files, other = s.port(), s.port(), s.port()
    os.mkdir(s.path("www"))
    with open(s.path("www/film"), "wb") as f:
        f.truncate(100 << 20)
    with open(s.path("www/price"), "w", encoding="ascii") as f:
        f.write("17\n")
    with open(s.path("haproxy.cfg"), "w", encoding="ascii") as f:
        f.write(CONF % (s.path("stats"), port, files, other, files))
    s.start("files", ["webfsd", "-F", "-i", "127.0.0.1", "-p", files, "-r", s.path("www")])
    s.wait("the server answers", lambda: s.connects(files))
    s.start("haproxy", ["haproxy", "-db", "-f", s.path("haproxy.cfg")])
    s.wait("haproxy answers", lambda: s.connects(port))

    def get(at, page, *options):
        return ["curl", "-sS", *options, "http://127.0.0.1:%s/%s" % (at, page)]

    def stat(field, what="files"):
        """A value of haproxy's table for the server of `shop`, or for its queue."""
        with socket.socket(socket.AF_UNIX) as c:
            c.settimeout(5)
            c.connect(s.path("stats"))
            c.sendall(b"show stat\n")
            with c.makefile(encoding="ascii") as f:
                rows = [line.strip().split(",") for line in f if "," in line]
        row = [r for r in rows if r[:2] == ["shop", what]][0]
        return int(row[[x.strip("# ") for x in rows[0]].index(field)])

    def unsent():
        rows = s.out(["ss", "-tnH", "state", "established", "sport = :" + port]).splitlines()
        return max([int(r.split()[1]) for r in rows], default=0)

    s.check("a page comes", s.out(get(port, "price")) == "17")
    s.wait("the server is free", lambda: stat("scur") == 0)
    reader = s.start("reader", get(port, "film", "--limit-rate", "20M", "-o", s.path("film")))
    s.wait("the reader has a part of its file", lambda: os.path.getsize(s.path("film")) > 1 << 20)
    reader.send_signal(signal.SIGSTOP)
    s.wait("haproxy cannot send more", lambda: unsent() > 10000)

    s.begin()
    victim = s.start("victim", get(port, "price"))
    s.wait("the victim's request is in the queue", lambda: stat("qcur", "BACKEND") == 1)
    s.during("the reader is stopped", lambda: s.state("reader") == "T" and unsent() > 10000)
    s.during("the reader's request has the only connection, and one request is in the queue",
             lambda: (stat("qcur", "BACKEND"), stat("scur")) == (1, 1))
    s.during("the server and haproxy work for others", lambda: s.out(get(other, "price"), timeout=5) == "17")
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S"
             and s.output("victim") == "")
    s.hang(victim="victim", culprits=["reader"], causes=["stopped"], vague=["haproxy"], wrong=["files"])
    yield
    reader.send_signal(signal.SIGCONT)
    s.ended("reader")
    s.ended("victim")
    s.check("the page came", s.output("victim").strip() == "17")
