# SPDX-License-Identifier: GPL-2.0-or-later
"""A deploy script waits for the end of a node server, after SIGTERM. node waits until its last request is done. An agent sends
its samples in the body of this request, one sample in five minutes, and sleeps until the next sample."""
import re

HELD_OUT = False
NEEDS = {"node": "nodejs", "python3": "python3", "bash": "bash", "curl": "curl", "ss": "iproute2"}
APP = """
const http = require('http');
const server = http.createServer((ask, answer) => {
    ask.on('data', sample => console.log('sample ' + sample));
    ask.on('end', () => answer.end('page'));
});
server.requestTimeout = 0;
process.on('SIGTERM', () => {
    console.log('closes');
    server.close(() => console.log('closed'));
});
server.listen(+process.argv[2], '127.0.0.1', () => console.log('listens'));
"""
AGENT = """
import http.client, sys, time

def samples():
    while True:
        with open("/proc/loadavg", "rb") as f:
            yield f.read()
        time.sleep(300)

http.client.HTTPConnection("127.0.0.1", int(sys.argv[1])).request("POST", "/samples", samples(), encode_chunked=True,
                                                                headers={"Transfer-Encoding": "chunked"})
"""
DEPLOY = """
node app.js $1 &
read order
kill -TERM $!
wait $!
echo stopped
"""


def play(s):
    for name, text in ("app.js", APP), ("agent.py", AGENT), ("deploy", DEPLOY):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    ports = {"victim": s.port(), "bystander": s.port()}
    for name, port in ports.items():
        s.start(name, ["bash", "deploy", port], talk=True)
        s.wait("node listens", lambda name=name: "listens" in s.output(name))
    s.role("node", s.child("victim", "node"))
    s.role("other_node", s.child("bystander", "node"))
    for name, server in ("agent", "victim"), ("other_agent", "bystander"):
        s.start(name, ["python3", "agent.py", ports[server]])
        s.wait("the agent has sent a sample", lambda server=server: "sample" in s.output(server))
    s.check("node answers others", s.out(["curl", "-sS", "http://127.0.0.1:%s/" % ports["victim"]]) == "page")

    def connections():
        """The processes with a connection to the server."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + ports["victim"]])
        return [int(pid) for pid in re.findall(r"pid=(\d+)", rows)]

    s.wait("the agent has the only connection", lambda: connections() == [s.pid("agent")])

    s.begin()
    s.say("victim", "stop")
    s.wait("node has got SIGTERM", lambda: "closes" in s.output("victim"))
    s.during("the agent has the only connection", lambda: connections() == [s.pid("agent")])
    s.during("node listens no more", lambda: s.out(["ss", "-tlnH", "sport = :" + ports["victim"]]) == "")
    s.during("node idles, and the agent sleeps", lambda: s.state("node") == "S" and s.syscall("node") in
             ("epoll_wait", "epoll_pwait") and s.syscall("agent") in ("clock_nanosleep", "select", "pselect6"))
    s.during("the script waits", lambda: s.syscall("victim") == "wait4" and "stopped" not in s.output("victim"))
    s.during("the other server answers", lambda: s.out(
        ["curl", "-sS", "http://127.0.0.1:%s/" % ports["bystander"]], timeout=5) == "page")
    s.hang(victim="victim", culprits=["agent"], causes=["timer", "slow-peer", "external"], vague=["node"],
           wrong=["other_agent", "other_node", "bystander", "test"])
    yield
    s.processes["agent"][0].kill()
    s.ended("victim")
    s.check("node has closed", s.output("victim").endswith("closed\nstopped\n"))
