# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a small page of node. For another page, node waits in execFileSync for a flock(1). This
flock waits for a lock that another flock owns."""
HELD_OUT = False
NEEDS = {"node": "nodejs", "curl": "curl", "flock": "util-linux"}

SERVER = """
const http = require('http'), { execFileSync } = require('child_process');
http.createServer((request, answer) => {
  if (request.url === '/stock')
    return answer.end(execFileSync('flock', ['stock.lock', 'echo', 'stock']));
  answer.end('hello\\n');
}).listen(+process.argv[2], '127.0.0.1', () => console.log('ready'));
"""


def play(s):
    ports, lock, other = {"server": s.port(), "bystander": s.port()}, s.path("stock.lock"), s.path("other.lock")
    with open(s.path("server.js"), "w", encoding="ascii") as f:
        f.write(SERVER)
    for name, port in ports.items():
        s.start(name, ["node", "server.js", port])
        s.wait("%s is ready" % name, lambda name=name: "ready" in s.output(name))

    def get(name, page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (ports[name], page)]

    for name in ports:
        s.check("%s answers" % name, [s.out(get(name, page)) for page in ("stock", "hello")] == ["stock", "hello"])
    s.start("other-owner", ["flock", other, "sleep", "60"])
    owner = s.start("owner", ["flock", lock, "sleep", s.seconds + 2])
    s.wait("both locks have an owner", lambda: s.locks(lock)["owners"] == [owner.pid] and
           s.locks(other)["owners"] == [s.pid("other-owner")])
    s.wait("the owner's command runs", lambda: s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))
    s.start("first", get("server", "stock"))
    s.wait("node runs flock", lambda: s.child("server", "flock"))
    s.role("command", s.child("server", "flock"))
    s.wait("this flock waits", lambda: s.locks(lock)["waiters"] == [s.pid("command")])

    s.begin()
    victim = s.start("victim", get("server", "hello"))
    s.during("the flock of node waits for the lock, and another flock owns it",
             lambda: s.locks(lock) == {"owners": [owner.pid], "waiters": [s.pid("command")]})
    s.during("the owner's command sleeps", lambda: s.syscall("sleeper") == "clock_nanosleep")
    s.during("node's main thread waits", lambda: s.state("server") == "S")
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("the other node answers", lambda: s.out(get("bystander", "hello")) == "hello")
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"], vague=["server"],
           stuck=["first", "command"], wrong=["bystander", "other-owner", "test"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.check("both pages came", s.output("victim") == "hello\n" and
            s.wait("the first page", lambda: s.output("first") == "stock\n") is None)
