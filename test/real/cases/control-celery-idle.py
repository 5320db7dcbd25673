# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: the processes of a worker of Celery wait on purpose for tasks. One comes about each 0.7 s, and is done at once."""
from scene import children

HELD_OUT = False
NEEDS = {"celery": "celery", "redis-server": "redis-server", "redis-cli": "redis-tools"}
TASKS = """
import celery
url = "redis://127.0.0.1:%s/0"
app = celery.Celery("shop", broker=url, backend=url)
app.conf.update(broker_connection_retry_on_startup=True)
@app.task
def add(a, b):
    return a + b
"""
SHOP = """
import time, tasks
n = 0
while True:
    began = time.monotonic()
    n = tasks.add.delay(n, 1).get(timeout=60)
    print("done", n, time.monotonic() - began, flush=True)
    time.sleep(0.7)
"""


def play(s):
    port = s.port()
    for name, text in ("tasks.py", TASKS % port), ("shop.py", SHOP):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("redis", ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", s.where])
    s.wait("redis-server listens", lambda: s.connects(port))
    celery = ["/usr/bin/python3", "-B", "-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-l", "info"]
    s.start("worker", [*celery, "-c", "2", "-n", "shop@here"])
    s.wait("the worker is ready", lambda: "ready." in s.output("worker"), 60)
    s.wait("the worker has two children", lambda: len(children(s.pid("worker"))) == 2)
    workers = sorted(children(s.pid("worker")))
    for i, pid in enumerate(workers):
        s.role("child%d" % i, pid)
    s.start("shop", ["/usr/bin/python3", "-B", "shop.py"])

    def done():
        """How long each task took, in seconds."""
        return [float(line.split()[2]) for line in s.output("shop").splitlines(keepends=True)
                if line.startswith("done") and line.endswith("\n")]

    s.wait("the first tasks are done", lambda: len(done()) > 1, 60)

    s.begin()
    first = len(done())
    s.wait("another task is done", lambda: len(done()) > first)
    s.during("each task is done at once", lambda: max(done()[first:]) < 0.6)
    s.during("no task is in the queue", lambda: s.out(["redis-cli", "-p", port, "LLEN", "celery"]) == "0")
    s.during("the children are the same, and use little CPU", lambda: sorted(children(s.pid("worker"))) == workers and
             not any(s.uses_cpu("child%d" % i, 0.3, 0.2) for i in range(2)))
    s.normal(victim="child0", causes=["timer", "external"])
    yield
    n = len(done())
    s.went_on("more tasks are done", lambda: len(done()) > n)
    s.check("the tasks came in time", n - first >= s.seconds - 2)
