# SPDX-License-Identifier: GPL-2.0-or-later
"""The main thread of node waits in Atomics.wait for a worker thread, which waits for a factor(1) that computes."""
import os
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"node": "nodejs", "factor": "coreutils"}
# Two primes with 30 digits: factor needs hours.
NUMBER = str((10 ** 29 + 319) * (10 ** 29 + 457))

SUMS = r"""
const { Worker, isMainThread, workerData } = require('worker_threads');
const { execFileSync } = require('child_process');
const fs = require('fs');
if (isMainThread) {
    const cells = new Int32Array(new SharedArrayBuffer(16));
    const start = which => new Worker(__filename, { workerData: { cells, which, number: process.argv[2] } });
    start(2);                          // no thread wakes this worker
    start(0).once('online', () => {
        fs.writeSync(1, 'ready\n');
        fs.readSync(0, Buffer.alloc(10));
        Atomics.store(cells, 0, 1);
        Atomics.notify(cells, 0);
        Atomics.wait(cells, 1, 0);
        fs.writeSync(1, 'done ' + cells[1] + '\n');
        process.exit(0);
    });
} else {
    const { cells, which, number } = workerData;
    Atomics.wait(cells, which, 0);
    let result = 1;
    try { execFileSync('factor', [number]); } catch { result = 2; }
    Atomics.store(cells, 1, result);
    Atomics.notify(cells, 1);
}
"""


def play(s):
    with open(s.path("sums.js"), "w", encoding="ascii") as f:
        f.write(SUMS)
    victim = s.start("victim", ["node", "sums.js", NUMBER], talk=True)
    s.wait("the program is ready", lambda: s.output("victim") == "ready\n")
    s.start("bystander", ["nice", "-n", "19", "factor", NUMBER])

    s.begin()
    s.say("victim", "go")

    def factor():
        return s.child("victim", "factor")

    def forker():
        return next((t for t in s.threads("victim") if str(factor()) in proc(victim.pid, "children", t).split()), None)

    s.wait("the worker starts factor", forker)
    s.role("factor", factor())
    s.role("worker", victim.pid, forker())
    s.wait("the main thread waits", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S")
    s.during("the worker is not the main thread", lambda: forker() == s.roles["worker"][1] != victim.pid)
    s.during("factor computes", lambda: factor() == s.pid("factor") and s.uses_cpu("factor", 0.1))
    s.during("the worker waits for factor", lambda: s.state("worker") == "S" and
             s.syscall("worker") in ("epoll_pwait", "epoll_wait"))
    s.during("the main thread waits", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S" and
             "done" not in s.output("victim"))
    s.during("only one worker has a child", lambda: children(victim.pid) == [s.pid("factor")])
    s.hang(victim="victim", culprits=["factor"], causes=["busy"], vague=["worker"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("factor"), signal.SIGTERM)
    s.ended("victim")
    s.check("the worker has an end", "done 2" in s.output("victim"))
