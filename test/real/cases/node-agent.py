# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for node, whose agent has one connection to a back end. Another request, to a CGI
program that computes, uses the connection."""
import os

from scene import find_program

HELD_OUT = False
NEEDS = {"node": "nodejs", "lighttpd": "lighttpd", "perl": "perl", "curl": "curl"}

FRONT = """
const http = require('http');
const [port, ...backs] = process.argv.slice(2);
const agents = backs.map(() => new http.Agent({keepAlive: true, maxSockets: 1}));
const count = (o) => Object.values(o).reduce((n, l) => n + l.length, 0);
http.createServer((req, res) => {
  if (req.url === '/state')
    return res.end(agents.map((a) => count(a.requests) + ' ' + count(a.sockets)).join('\\n'));
  if (req.url === '/hello')
    return res.end('hello');
  const [, n, page] = req.url.split('/');
  http.get({host: '127.0.0.1', port: backs[n], path: '/' + page, agent: agents[n]}, (r) => r.pipe(res));
}).listen(+port, '127.0.0.1');
"""
REPORT = """
open(my $f, '>', "$ENV{DOCUMENT_ROOT}/pid"); print $f $$; close $f;
until (-e "$ENV{DOCUMENT_ROOT}/enough") { $x = ($x * 1103515245 + 12345) % 2147483648 for 1 .. 20000 }
print "Content-Type: text/plain\\r\\n\\r\\nreport";
"""
LIGHTTPD = """
server.modules = ("mod_cgi")
server.document-root = "%(root)s"
server.bind = "127.0.0.1"
server.port = %(port)s
server.errorlog = "%(root)s/log"
cgi.assign = (".pl" => "%(perl)s")
"""


def play(s):
    front, backs = s.port(), {}
    with open(s.path("front.js"), "w", encoding="ascii") as f:
        f.write(FRONT)
    for name in "back", "other":
        backs[name], root = s.port(), s.path(name)
        os.mkdir(root)
        for file, text in ("stock", "17"), ("report.pl", REPORT), \
                ("conf", LIGHTTPD % {"root": root, "port": backs[name], "perl": find_program("perl")}):
            with open(os.path.join(root, file), "w", encoding="ascii") as f:
                f.write(text)
        s.start(name, ["lighttpd", "-D", "-f", os.path.join(root, "conf")])
        s.wait("%s answers" % name, lambda name=name: s.connects(backs[name]))
    s.start("node", ["node", "front.js", front, *backs.values()])
    s.wait("node answers", lambda: s.connects(front))

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (front, page)]

    def state():
        """For each back end: how many requests wait for a connection, and how many connections are in use."""
        return s.out(curl("state"), timeout=5).splitlines()

    def cgi(role, name):
        with open(os.path.join(s.path(name), "pid"), encoding="ascii") as f:
            return s.role(role, int(f.read()))

    for n in "0/stock", "1/stock":
        s.check("node passes the page on", s.out(curl(n)) == "17")
    s.start("bystander", curl("1/report.pl"))
    s.wait("the other report computes", lambda: cgi("other_report", "other") and s.uses_cpu("other_report", 0.2))
    reader = s.start("reader", curl("0/report.pl"))
    s.wait("the report computes", lambda: cgi("report", "back") and s.uses_cpu("report", 0.2))
    s.check("no request waits for a connection", state() == ["0 1", "0 1"])

    s.begin()
    victim = s.start("victim", curl("0/stock"))
    s.wait("the request waits in node", lambda: state() == ["1 1", "0 1"])
    s.during("the request waits for the one connection", lambda: state() == ["1 1", "0 1"])
    s.during("the report computes", lambda: s.uses_cpu("report", 0.2))
    s.during("the clients wait", lambda: victim.poll() is None and reader.poll() is None and s.state("victim") == "S")
    s.during("node answers", lambda: s.out(curl("hello"), timeout=5) == "hello")
    s.during("the back end answers others",
             lambda: s.out(["curl", "-s", "http://127.0.0.1:%s/stock" % backs["back"]], timeout=5) == "17")
    s.hang(victim="victim", culprits=["report"], causes=["busy", "queueing"], vague=["back", "node"],
           wrong=["other_report", "other", "bystander", "reader", "test"])
    yield
    for name in backs:
        with open(os.path.join(s.path(name), "enough"), "wb"):
            pass
    s.ended("victim")
    s.ended("reader")
    s.check("the page came", s.output("victim") == "17")
