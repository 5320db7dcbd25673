# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a worker of uwsgi. The worker waits for a lock, whose owner, another worker, computes."""
import re
import signal

from scene import SYSCALLS, children, proc

HELD_OUT = False
NEEDS = {"uwsgi-core": "uwsgi-core", "curl": "curl"}

SHOP = """
import os, uwsgi

def compute():
    x = 1
    for _ in range(10000):
        x = (x * 1103515245 + 12345) % 2147483648

def application(env, start):
    start("200 OK", [("Content-Type", "text/plain")])
    page = env["PATH_INFO"]
    if page == "/stock":
        uwsgi.lock()
        uwsgi.unlock()
    elif page == "/report":
        uwsgi.lock()
        print("report", os.getpid(), flush=True)
        while not os.path.exists("enough"):
            compute()
        uwsgi.unlock()
    elif page == "/preview":
        print("preview", os.getpid(), flush=True)
        while not os.path.exists("enough"):
            compute()
    return [b"page"]
"""


def play(s):
    port = s.port()
    with open(s.path("shop.py"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.start("uwsgi", ["uwsgi-core", "--plugin", "python3", "--http-socket", "127.0.0.1:" + port, "--master", "--processes", "4",
                      "--need-app", "--wsgi-file", "shop.py"], stop=signal.SIGINT)
    s.wait("uwsgi listens", lambda: s.connects(port))

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("uwsgi answers", s.out(curl("stock")) == "page")

    def syscalls():
        return {pid: proc(pid, "syscall").split()[0] for pid in children(s.pid("uwsgi"))}

    def pid_of(page):
        return int(re.findall("^%s ([0-9]+)$" % page, s.output("uwsgi"), re.M)[-1])

    pages = {name: s.start(name, curl(name)) for name in ("preview", "report")}
    for name, role in ("preview", "bystander"), ("report", "owner"):
        s.wait("a worker computes the " + name, lambda name=name: pid_of(name))
        s.role(role, pid_of(name))

    def waiting():
        return [pid for pid, number in syscalls().items() if SYSCALLS.get(int(number if number.isdigit() else -1)) == "futex"]

    s.check("no worker waits for the lock", not waiting())

    s.begin()
    victim = s.start("victim", curl("stock"))
    s.wait("a worker waits for the lock", lambda: len(waiting()) == 1)
    s.role("worker", waiting()[0])
    s.during("one worker waits for the lock", lambda: waiting() == [s.pid("worker")])
    s.during("the owner of the lock computes", lambda: s.uses_cpu("owner", 0.3))
    s.during("all clients wait", lambda: {p.poll() for p in (victim, *pages.values())} == {None} and s.state("victim") == "S")
    s.during("the fourth worker answers", lambda: s.out(curl("hello"), timeout=5) == "page")
    s.hang(victim="victim", culprits=["owner"], causes=["lock-holder", "busy"], stuck=["worker"],
           wrong=["uwsgi", "bystander", "preview", "report", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    for name in pages:
        s.ended(name)
    s.check("the page came", s.output("victim") == "page")
