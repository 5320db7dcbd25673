# SPDX-License-Identifier: GPL-2.0-or-later
"""Nobody accepts curl's connection: both workers of gunicorn wait for a file lock. The owner of the lock sleeps."""
HELD_OUT = False
NEEDS = {"gunicorn": "gunicorn", "curl": "curl", "flock": "util-linux"}
APP = """import fcntl
def app(env, start):
    if env["PATH_INFO"] == "/report":
        with open("report.lock") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
    start("200 OK", [("Content-Length", "6")])
    return [b"hello\\n"]
"""


def play(s):
    port, lock = s.port(), s.path("report.lock")
    with open(s.path("shop.py"), "w", encoding="utf-8") as f:
        f.write(APP)
    s.start("owner", ["flock", lock, "sleep", s.seconds + 2])
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [s.pid("owner")])
    s.wait("the owner's command runs", lambda: s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))
    s.start("gunicorn", ["gunicorn", "-w", "2", "-t", "60", "-b", "127.0.0.1:" + port, "--worker-tmp-dir", s.where, "shop:app"])
    s.wait("gunicorn listens", lambda: s.connects(port))
    s.wait("gunicorn answers", lambda: s.out(["curl", "-s", "http://127.0.0.1:%s/" % port]) == "hello")
    for name in "report1", "report2":
        s.start(name, ["curl", "-s", "http://127.0.0.1:%s/report" % port])
    s.wait("both workers wait for the lock", lambda: len(s.locks(lock)["waiters"]) == 2)
    workers = sorted(s.locks(lock)["waiters"])
    for name, pid in zip(("worker1", "worker2"), workers):
        s.role(name, pid)

    s.begin()
    victim = s.start("victim", ["curl", "-s", "http://127.0.0.1:%s/" % port])

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + port]).split()[1])

    s.wait("the connection is not accepted", lambda: unaccepted() == 1)
    s.during("the connection is not accepted", lambda: victim.poll() is None and unaccepted() == 1)
    s.during("the workers wait for the owner's lock",
             lambda: sorted(s.locks(lock)["waiters"]) == workers and s.locks(lock)["owners"] == [s.pid("owner")])
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"], vague=["worker1", "worker2"],
           wrong=["gunicorn", "report1", "report2"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "hello\n")
