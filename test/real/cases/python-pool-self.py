# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program waits for its thread pool. Both threads of the pool wait for jobs that still queue in this pool."""
import signal

HELD_OUT = True
NEEDS = {"python3": "python3"}

SHOP = r"""
import concurrent.futures, signal, sys, threading

pool, inner = concurrent.futures.ThreadPoolExecutor(2), []
both = threading.Barrier(2)

def price(name):
    return len(name)

def order(name):
    sys.stdout.write("order %d\n" % threading.get_native_id())
    sys.stdout.flush()
    both.wait()
    inner.append(pool.submit(price, name))
    try:
        return inner[-1].result()
    except concurrent.futures.CancelledError:
        return 0

def idle():
    sys.stdout.write("idle %d\n" % threading.get_native_id())
    sys.stdout.flush()
    threading.Event().wait()

def cancel(*_):
    for job in inner:
        job.cancel()

signal.signal(signal.SIGUSR1, cancel)
threading.Thread(target=idle, daemon=True).start()
print("price", pool.submit(price, "book").result(), flush=True)
sys.stdin.readline()
orders = [pool.submit(order, name) for name in ("book", "pen")]
print("sum", sum(o.result() for o in orders), flush=True)
"""


def play(s):
    with open(s.path("shop.py"), "w", encoding="ascii") as f:
        f.write(SHOP)
    victim = s.start("victim", ["python3", "shop.py"], talk=True)
    s.wait("the pool works", lambda: "price 4" in s.output("victim") and "idle" in s.output("victim"))

    def tids(word):
        return [int(line.split()[1]) for line in s.output("victim").splitlines() if line.startswith(word)]

    s.role("idle", victim.pid, tids("idle")[0])

    s.begin()
    s.say("victim", "go")
    s.wait("both threads have an order", lambda: len(set(tids("order"))) == 2)
    for n, tid in enumerate(tids("order")):
        s.role("worker%d" % n, victim.pid, tid)
    s.wait("all threads wait", lambda: all(s.syscall(r) == "futex" for r in ("victim", "worker0", "worker1")))
    s.during("all threads wait for locks",
             lambda: all(s.syscall(r) == "futex" and s.state(r) == "S" for r in ("victim", "worker0", "worker1", "idle")))
    s.during("the pool has no other thread", lambda: len(s.threads("victim")) == 4)
    s.during("there is no sum", lambda: victim.poll() is None and "sum" not in s.output("victim"))
    s.hang(victim="victim", culprits=["worker0", "worker1"], causes=["circular-wait", "missing-wakeup", "queueing"],
           wrong=["idle", "test"])
    yield
    victim.send_signal(signal.SIGUSR1)
    s.ended("victim")
    s.check("the sum is there", "sum 0" in s.output("victim"))
