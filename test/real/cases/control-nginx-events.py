# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: curl follows a stream of events (server-sent events) from a node server behind nginx. An event comes each 0.5 s, and
the answer never ends. The stream of another curl is silent, because nothing happens in its room."""
import re
import time

HELD_OUT = False
NEEDS = {"nginx": "nginx", "node": "nodejs", "curl": "curl"}
NODE = """
const http = require('http');
let n = 0;
const clients = [];
http.createServer((ask, answer) => {
    if (!ask.url.startsWith('/room/'))
        return answer.end('hello');
    answer.writeHead(200, {'Content-Type': 'text/event-stream'});
    answer.write(': welcome\\n\\n');
    if (ask.url === '/room/busy')
        clients.push(answer);
}).listen(process.argv[2], '127.0.0.1');
setInterval(() => { n++; for (const to of clients) to.write(`data: ${n} at ${Date.now()}\\n\\n`); }, 500);
"""
NGINX = """worker_processes 1; daemon off; pid %(where)s/pid; user root; events {}
http { access_log off; %(temp)s server { listen 127.0.0.1:%(front)s;
location / { proxy_pass http://127.0.0.1:%(back)s; proxy_buffering off; proxy_read_timeout 3600; } } }
"""


def play(s):
    front, back = s.port(), s.port()
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    words = {"where": s.where, "temp": temp, "front": front, "back": back}
    for name, text in ("events.js", NODE), ("nginx.conf", NGINX % words):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("server", ["node", s.path("events.js"), back])
    s.wait("node listens", lambda: s.connects(back))
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(front))
    s.role("web", s.child("nginx"))

    def get(page):
        return ["curl", "-sSN", "http://127.0.0.1:%s/%s" % (front, page)]

    for room in "busy", "silent":
        s.start(room, get("room/" + room))
        s.wait("curl has the begin of the stream", lambda room=room: "welcome" in s.output(room))

    def events():
        """[(number, time in seconds)]"""
        return [(int(n), int(ms) / 1000) for n, ms in re.findall(r"^data: (\d+) at (\d+)\n", s.output("busy"), re.M)]

    s.wait("the first events come", lambda: len(events()) > 1)

    s.begin()
    first = len(events())
    s.during("events come, and none is left out", lambda: time.time() - events()[-1][1] < 2 and
             [n for n, _ in events()] == list(range(events()[0][0], events()[0][0] + len(events()))))
    s.during("the server answers others at once", lambda: s.out(get("hello"), timeout=5) == "hello")
    s.during("the other stream is silent", lambda: "data" not in s.output("silent") and s.state("silent") == "S")
    s.normal(victim="busy", causes=["timer", "external"])
    yield
    n = len(events())
    s.went_on("more events come", lambda: len(events()) > n)
    s.check("about two events a second came", n - first >= s.seconds)
