# SPDX-License-Identifier: GPL-2.0-or-later
"""haproxy lets one request at a time go to nginx. To answer this
request, nginx sends a second request to haproxy, which queues it."""
import os
import socket
import time

HELD_OUT = False
NEEDS = {"haproxy": "haproxy", "nginx": "nginx", "curl": "curl"}


def play(s):
    front, back, control = s.port(), s.port(), s.path("control")
    with open(s.path("haproxy.cfg"), "w", encoding="utf-8") as f:
        f.write("global\n nbthread 1\n stats socket %s level admin\n stats timeout 60s\n"
                "defaults\n mode http\n timeout connect 60s\n timeout client 60s\n timeout server 60s\n timeout queue 60s\n"
                "listen shop\n bind 127.0.0.1:%s\n server web 127.0.0.1:%s maxconn 1\n" % (control, front, back))
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(s.path("nginx.conf"), "w", encoding="utf-8") as f:
        f.write("worker_processes 1; daemon off; pid %s; events {}\nhttp { access_log off; %s server { listen 127.0.0.1:%s; "
                "location /part { return 200 part; } location / { proxy_pass http://127.0.0.1:%s/part; } } }\n"
                % (s.path("pid"), temp, back, front))
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx answers", lambda: s.connects(back))
    s.role("worker", s.child("nginx"))
    s.start("haproxy", ["haproxy", "-db", "-f", s.path("haproxy.cfg")])
    s.wait("haproxy listens", lambda: s.connects(front))
    s.wait("the short way works", lambda: s.out(["curl", "-s", "http://127.0.0.1:%s/part" % front]) == "part")
    s.wait("haproxy has its control socket", lambda: os.path.exists(control))
    console = s.enter_context(socket.socket(socket.AF_UNIX))
    console.settimeout(5)
    console.connect(control)

    def ask(line):
        console.sendall(line.encode() + b"\n")
        said = b""
        while not said.endswith(b"\n> "):
            more = console.recv(65536)
            if not more:
                raise OSError("haproxy closed its control socket")
            said += more
        return said.decode()

    ask("prompt")

    def queue():
        """(requests in the queue, requests at nginx)"""
        rows = {tuple(row[:2]): row for row in (line.split(",") for line in ask("show stat").splitlines()) if len(row) > 4}
        return int(rows["shop", "BACKEND"][2]), int(rows["shop", "web"][4])

    s.begin()
    victim = s.start("victim", ["curl", "-s", "http://127.0.0.1:%s/" % front])
    s.wait("the second request waits in the queue", lambda: queue() == (1, 1))
    s.during("the second request waits for the place of the first", lambda: queue() == (1, 1))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")

    def sleep():
        """Whether both servers sleep within a second. haproxy may still work on the last ask()."""
        for _ in range(20):
            if s.state("haproxy") == s.state("worker") == "S":
                return True
            time.sleep(0.05)
        return False

    s.during("both servers sleep", sleep)
    s.hang(victim="victim", culprits=["haproxy", "worker"], causes=["circular-wait", "queueing"], wrong=["nginx", "test"])
    yield
    ask("set maxconn server shop/web 2")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "part")
