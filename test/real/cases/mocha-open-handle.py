# SPDX-License-Identifier: GPL-2.0-or-later
"""A CI script waits for mocha. All tests have passed, but mocha does not end: a test has left a connection to redis-server
open, so the event loop of node goes on waiting. redis-server is idle, and owes no answer."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"mocha": "mocha", "node": "nodejs", "redis-server": "redis-server", "redis-cli": "redis-tools",
         "ss": "iproute2"}
TEST = """
const assert = require('assert'), net = require('net');
let cache;
describe('cache', () => {
    before(done => { cache = net.connect(%s, '127.0.0.1', done); });
    it('answers', done => {
        cache.once('data', answer => { assert.equal(answer.toString(), '+PONG\\r\\n'); done(); });
        cache.write('PING\\r\\n');
    });
    after(() => { %s });
});
"""
CI = """#!/bin/sh
mocha "$1"
echo "mocha ended with $?"
"""


def play(s):
    port = s.port()
    for name, end in ("victim.js", ""), ("good.js", "cache.end();"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(TEST % (port, end))
    with open(s.path("ci"), "w", encoding="ascii") as f:
        f.write(CI)
    env = {**os.environ, "HOME": s.where, "NODE_PATH": "/usr/share/nodejs"}
    s.start("redis", ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
    ask = ["redis-cli", "-p", port]
    s.wait("redis listens", lambda: s.connects(port))
    s.check("redis answers", s.out([*ask, "ping"]) == "PONG")
    good = s.start("good", ["sh", "ci", "good.js"], env=env)
    s.wait("a good test ends", lambda: good.poll() is not None, 40)
    s.check("it has passed", "mocha ended with 0" in s.output("good"))
    s.start("bystander", ["node", "-e", "require('net').connect(%s, '127.0.0.1')" % port])

    victim = s.start("victim", ["sh", "ci", "victim.js"], env=env)
    s.wait("the test has passed", lambda: "1 passing" in s.output("victim"), 40)
    s.begin()
    s.wait("node runs mocha", lambda: "mocha" in proc(s.child("victim"), "cmdline"))
    s.role("mocha", s.child("victim"))

    def clients():
        """Which programs are connected to redis-server."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + port])
        return {pid for pid in (s.pid("mocha"), s.pid("bystander")) if "pid=%d," % pid in rows}

    def unread():
        return [row for row in s.out(["ss", "-tnH", "state", "established", "( dport = :%s or sport = :%s )" % (port, port)])
                .splitlines() if row.split()[:2] != ["0", "0"]]

    def idles():
        """node may collect garbage now and then."""
        s.wait("mocha waits in its event loop", lambda: not s.uses_cpu("mocha", 0.05, 0.3) and s.state("mocha") == "S" and
               s.syscall("mocha") in ("epoll_wait", "epoll_pwait") and not s.child("mocha"), 10 if not s.holds else 3)
        return True

    idles()
    s.during("mocha waits in its event loop", idles)
    s.during("its connection is open, and nothing is under way", lambda: s.pid("mocha") in clients() and not unread())
    s.during("redis answers others", lambda: s.out([*ask, "ping"]) == "PONG")
    s.during("redis waits for commands", lambda: not s.uses_cpu("redis", 0.2, 0.2))
    s.during("the script waits for mocha", lambda: victim.poll() is None and s.wchan("victim") == "do_wait")
    s.hang(victim="victim", culprits=["mocha"], causes=["external", "missing-wakeup", "slow-peer", "timer"],
           wrong=["redis", "bystander", "test"])
    yield
    s.out([*ask, "client", "kill", "type", "normal", "skipme", "yes"])
    s.ended("victim")
    s.check("mocha has passed", "mocha ended with 0" in s.output("victim"))
