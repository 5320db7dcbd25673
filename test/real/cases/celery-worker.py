# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program waits for the result of a task of Celery. The only process of the worker that does tasks waits for a file
lock (fcntl). A Perl program owns the lock, and waits for its user."""
import os

from scene import children, proc

HELD_OUT = False
NEEDS = {"celery": "celery", "redis-server": "redis-server", "redis-cli": "redis-tools", "perl": "perl"}
TASKS = """
import celery, fcntl, os
url = "redis://127.0.0.1:%s/0"
app = celery.Celery("shop", broker=url, backend=url)
app.conf.update(broker_connection_retry_on_startup=True, worker_prefetch_multiplier=1)
@app.task
def add(a, b):
    return a + b
@app.task
def invoice(n):
    with open("invoices", "a") as f:
        fcntl.lockf(f, fcntl.LOCK_EX)
        f.write("%%d\\n" %% n)
    return "invoice %%d" %% n
"""
SHOP = """
import sys, tasks
print(tasks.add.delay(2, 3).get(timeout=60), flush=True)
sys.stdin.readline()
print(tasks.invoice.delay(17).get(), flush=True)
"""
OWNER = """
use Fcntl;
open(my $f, ">>", "invoices") or die;
my $lock = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
fcntl($f, F_SETLKW, $lock) or die;
$| = 1;
print "locked\\n";
<STDIN>;
"""


def play(s):
    port, lock = s.port(), s.path("invoices")
    for name, text in ("tasks.py", TASKS % port), ("shop.py", SHOP), ("owner.pl", OWNER), ("invoices", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("redis", ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", s.where])
    s.wait("redis-server listens", lambda: s.connects(port))
    celery = ["/usr/bin/python3", "-B", "-m", "celery", "-A", "tasks", "worker", "-P", "prefork", "-l", "info"]
    s.start("worker", [*celery, "-c", "1", "-n", "shop@here"])
    s.wait("the worker is ready", lambda: "ready." in s.output("worker"), 60)
    s.start("owner", ["perl", "owner.pl"], talk=True)
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [s.pid("owner")] and "locked" in s.output("owner"))
    s.start("victim", ["/usr/bin/python3", "-B", "shop.py"], talk=True)
    s.wait("a task is done", lambda: s.output("victim").split() == ["5"], 60)
    s.wait("the worker has a child", lambda: len(children(s.pid("worker"))) == 1)
    s.role("child", s.child("worker"))

    s.begin()
    s.say("victim", "invoice")
    s.wait("the child waits for the lock", lambda: s.locks(lock)["waiters"] == [s.pid("child")])
    s.during("the child waits for the lock of the owner", lambda: s.locks(lock) ==
             {"owners": [s.pid("owner")], "waiters": [s.pid("child")]} and s.syscall("child") == "fcntl")
    s.during("the owner waits for its user", lambda: s.syscall("owner") == "read" and s.state("owner") == "S" and
             proc(s.pid("owner"), "syscall").split()[1] == "0x0")
    s.during("the victim waits", lambda: s.output("victim").split() == ["5"] and s.state("victim") == "S")
    s.during("redis-server answers", lambda: s.out(["redis-cli", "-p", port, "PING"], timeout=5) == "PONG")
    # The test is the user.
    s.hang(victim="victim", culprits=["owner", "test"], causes=["lock-holder", "external"],
           vague=["child", "worker", "redis"])
    yield
    s.processes["owner"][0].stdin.close()
    s.ended("victim")
    s.check("the invoice came", "invoice 17" in s.output("victim") and os.path.getsize(lock) > 0)
