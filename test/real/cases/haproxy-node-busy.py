# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits in the queue of haproxy, which lets one request at a time go to a node server. The node server computes
the answer to another request."""
import csv

HELD_OUT = False
NEEDS = {"haproxy": "haproxy", "node": "nodejs", "curl": "curl"}
APP = """
const crypto = require('crypto'), fs = require('fs'), http = require('http');
http.createServer((ask, answer) => {
    let sum = 'page';
    if (ask.url === '/report')
        do {
            for (let i = 0; i < 20000; i++)
                sum = crypto.createHash('sha256').update(sum).digest('hex');
        } while (!fs.existsSync('enough'));
    answer.end(ask.url === '/report' ? 'report' : sum);
}).listen(%s, '127.0.0.1');
"""
CONFIG = """defaults
 mode http
 timeout connect 60s
 timeout client 60s
 timeout server 60s
 timeout queue 60s
frontend all
 bind 127.0.0.1:%s
 use_backend media if { path_beg /media }
 default_backend shop
backend shop
 server app 127.0.0.1:%s maxconn 1
backend media
 server app 127.0.0.1:%s maxconn 1
frontend stats
 bind 127.0.0.1:%s
 stats enable
 stats uri /stats
"""


def play(s):
    front, back, other, stats = s.port(), s.port(), s.port(), s.port()
    with open(s.path("haproxy.cfg"), "w", encoding="ascii") as f:
        f.write(CONFIG % (front, back, other, stats))
    for name, port in ("app", back), ("bystander", other):
        with open(s.path(name + ".js"), "w", encoding="ascii") as f:
            f.write(APP % port)
        s.start(name, ["node", s.path(name + ".js")])
        s.wait("%s listens" % name, lambda port=port: s.connects(port))
    s.start("haproxy", ["haproxy", "-db", "-f", s.path("haproxy.cfg")])
    s.wait("haproxy listens", lambda: s.connects(front))
    s.wait("the page comes", lambda: s.out(["curl", "-s", "http://127.0.0.1:%s/" % front]) == "page")

    def queue():
        """(requests in the queue, requests at the node server)"""
        rows = csv.reader(s.out(["curl", "-s", "http://127.0.0.1:%s/stats;csv" % stats], timeout=5).splitlines())
        found = {tuple(row[:2]): row for row in rows if len(row) > 4}
        return int(found["shop", "BACKEND"][2]), int(found["shop", "app"][4])

    s.wait("no request runs", lambda: queue() == (0, 0))
    s.start("report", ["curl", "-s", "http://127.0.0.1:%s/report" % front])
    s.wait("the report is computed", lambda: queue() == (0, 1) and s.uses_cpu("app", 0.1))

    s.begin()
    victim = s.start("victim", ["curl", "-s", "http://127.0.0.1:%s/" % front])
    s.wait("the victim is in the queue", lambda: queue() == (1, 1))
    s.during("the victim waits in the queue", lambda: queue() == (1, 1) and victim.poll() is None)
    s.during("the node server computes", lambda: s.uses_cpu("app", 0.1))
    s.during("the other node server answers", lambda: s.out(
        ["curl", "-s", "http://127.0.0.1:%s/media" % front], timeout=5) == "page")
    s.hang(victim="victim", culprits=["app"], causes=["busy", "queueing"], vague=["haproxy"],
           wrong=["report", "bystander", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.ended("report")
    s.check("the page came", s.output("victim") == "page")
