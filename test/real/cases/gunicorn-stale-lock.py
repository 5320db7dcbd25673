# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a worker of gunicorn, which looks again and again whether a lock file is gone. An earlier worker made this
file and was killed (as by the OOM killer), so no process has the lock, and no process will remove the file."""
import os
import signal

from scene import children

HELD_OUT = False
NEEDS = {"gunicorn": "gunicorn", "curl": "curl"}
APP = """
import os, time
def wares():
    while True:
        try:
            os.close(os.open("import.lock", os.O_CREAT | os.O_EXCL))
            break
        except FileExistsError:
            time.sleep(0.2)
    time.sleep(float(os.path.exists("big") and 60))
    os.unlink("import.lock")
    return b"imported"
def app(env, start):
    page = wares() if env["PATH_INFO"] == "/import" else b"hello"
    start("200 OK", [("Content-Length", str(len(page)))])
    return [page]
"""


def play(s):
    ports, lock, big = {"gunicorn": s.port(), "bystander": s.port()}, s.path("import.lock"), s.path("big")
    os.mkdir(s.path("bystander"))
    for name in "shop.py", "bystander/shop.py":
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(APP)

    def get(name, page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (ports[name], page)]

    for name, where in ("gunicorn", s.where), ("bystander", s.path("bystander")):
        s.start(name, ["gunicorn", "-w", "1", "-t", "100", "-b", "127.0.0.1:" + ports[name], "--worker-tmp-dir", s.where,
                       "shop:app"], cwd=where)
        s.wait("gunicorn listens", lambda name=name: s.connects(ports[name]), 20)
        s.check("gunicorn answers", s.out(get(name, "")) == "hello")
        s.check("an import works", s.out(get(name, "import")) == "imported")
    with open(big, "w", encoding="ascii"):
        pass
    first = s.child("gunicorn")
    lost = s.start("lost", get("gunicorn", "import"))
    s.wait("the first worker imports", lambda: os.path.exists(lock))
    os.kill(first, signal.SIGKILL)
    os.unlink(big)
    s.wait("its client has no answer", lambda: lost.poll() is not None)
    s.wait("there is a new worker", lambda: children(s.pid("gunicorn")) not in ([], [first]))
    s.check("it answers", s.out(get("gunicorn", "")) == "hello")
    worker = s.role("worker", s.child("gunicorn"))
    s.check("the lock file is still there", os.path.exists(lock) and worker != first)
    made = os.stat(lock).st_ino

    s.begin()
    victim = s.start("victim", get("gunicorn", "import"))
    s.wait("the new worker waits for the lock file", lambda: s.syscall("worker") in ("clock_nanosleep", "nanosleep", "select"))
    s.during("the lock file is there, and its maker is not", lambda: os.stat(lock).st_ino == made and
             not os.path.exists("/proc/%d" % first))
    s.during("the worker mostly sleeps", lambda: s.state("worker") == "S" and not s.uses_cpu("worker", 0.2, 0.2))
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("the other gunicorn imports", lambda: s.out(get("bystander", "import"), timeout=5) == "imported")
    s.hang(victim="victim", culprits=["worker"], causes=["polling", "timer"], wrong=["gunicorn", "bystander", "test"])
    yield
    os.unlink(lock)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "imported")
