# SPDX-License-Identifier: GPL-2.0-or-later
"""multiprocessing.Pool.map() waits. SIGSTOP has stopped the idle worker that owns the lock of the queue of jobs."""
import os
import signal

from scene import children

HELD_OUT = True
NEEDS = {"python3": "python3"}

POOL = """
import multiprocessing, sys
def square(x):
    return x * x
if __name__ == "__main__":
    with multiprocessing.Pool(3) as pool:
        print("ready", pool.map(square, range(6)), flush=True)
        sys.stdin.readline()
        print("squares", pool.map(square, range(4)), flush=True)
"""


def play(s):
    with open(s.path("pool.py"), "w", encoding="utf-8") as f:
        f.write(POOL)
    main = s.start("main", ["/usr/bin/python3", "pool.py"], talk=True)
    s.wait("the pool is ready", lambda: "ready" in s.output("main"))
    workers = {}

    def idle():
        """One worker reads jobs, and the others wait for their turn to read."""
        workers.clear()
        for pid in children(main.pid):
            s.role("worker", pid)
            workers[pid] = s.syscall("worker")
        return sorted(workers.values()) == ["futex", "futex", "read"]

    s.wait("the workers are idle", idle)
    del s.roles["worker"]
    reader = next(pid for pid, call in workers.items() if call == "read")
    s.role("reader", reader)
    for i, pid in enumerate(pid for pid in workers if pid != reader):
        s.role("other%d" % i, pid)

    s.begin()
    os.kill(reader, signal.SIGSTOP)
    s.wait("the reader stops", lambda: s.state("reader") == "T")
    s.say("main", "go")
    s.wait("the main thread waits", lambda: s.syscall("main") == "futex")
    s.during("the reader is stopped", lambda: s.state("reader") == "T")
    s.during("the other workers wait for their turn",
             lambda: all(s.state(w) == "S" and s.syscall(w) == "futex" for w in ("other0", "other1")))
    s.during("the main thread waits for the squares",
             lambda: s.syscall("main") == "futex" and "squares" not in s.output("main"))
    s.hang(victim="main", culprits=["reader", "test"], causes=["stopped"], stuck=["other0", "other1"])
    yield
    os.kill(reader, signal.SIGCONT)
    s.ended("main")
    s.check("the squares are there", "squares [0, 1, 4, 9]" in s.output("main"))
