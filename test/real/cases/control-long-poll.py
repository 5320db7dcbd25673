# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: curl asks a node server for news, and waits until there are some (a long poll). Another curl asks for the time
each second, and has its answer at once."""
HELD_OUT = False
NEEDS = {"node": "nodejs", "curl": "curl"}
APP = """
const http = require('http');
let waiting = [];
http.createServer((ask, answer) => {
    if (ask.url === '/news') {
        const end = setTimeout(() => answer.end('none'), 30000);
        waiting.push(text => { clearTimeout(end); answer.end(text); });
    } else if (ask.url === '/tell') {
        waiting.forEach(f => f('the parcel is there'));
        answer.end('told ' + waiting.length);
        waiting = [];
    } else if (ask.url === '/count')
        answer.end(String(waiting.length));
    else
        answer.end('time ' + Date.now() + '\\n');
}).listen(%s, '127.0.0.1');
"""


def play(s):
    port = s.port()
    url = "http://127.0.0.1:%s/" % port
    with open(s.path("news.js"), "w", encoding="ascii") as f:
        f.write(APP % port)
    s.start("server", ["node", s.path("news.js")])
    s.wait("the server listens", lambda: s.connects(port))
    s.start("clock", ["sh", "-c", "while curl -s -m 2 %stime; do sleep 1; done" % url])
    s.wait("the time comes", lambda: "time" in s.output("clock"))

    s.begin()
    client = s.start("client", ["curl", "-s", url + "news"])
    s.wait("the client waits for news", lambda: s.out(["curl", "-s", url + "count"]) == "1")
    s.during("the client waits for news", lambda: client.poll() is None and s.out(
        ["curl", "-s", url + "count"], timeout=5) == "1")
    seen = [0]

    def tells_time():
        before = seen[0]
        s.wait("the time comes", lambda: s.output("clock").count("time") > before, 4)
        seen[0] = s.output("clock").count("time")
        return True

    s.during("the other client has its answers", tells_time)
    s.during("the server uses little CPU", lambda: not s.uses_cpu("server", 0.2))
    s.normal(victim="client", causes=["timer", "external"])
    yield
    s.check("the server tells the news", s.out(["curl", "-s", url + "tell"]) == "told 1")
    s.ended("client")
    s.check("the news came", s.output("client") == "the parcel is there")
    s.check("the other client had its answers", s.processes["clock"][0].poll() is None)
