# SPDX-License-Identifier: GPL-2.0-or-later
"""notmuch tag waits for the lock of the mail index. A nightly notmuch new owns the lock, and indexes mails. It is to run only
if nothing else does (SCHED_IDLE), and gets almost no CPU, because three programs compute on its only CPU."""
import glob
import os
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"notmuch": "notmuch", "perl": "perl", "chrt": "util-linux", "taskset": "util-linux"}
MAILS = 4000
HOGS = ["hog0", "hog1", "hog2"]
NIGHT = """#!/bin/sh
read line
for i in 1 2 3; do
    perl -e '1 while 1' &
done
exec notmuch new
"""


def play(s):
    cpu = max(os.sched_getaffinity(0))
    config = s.path("notmuch-config")
    with open(config, "w", encoding="ascii") as f:
        f.write("[database]\npath=%s\n[user]\nname=clerk\nprimary_email=clerk@test.example\n[new]\ntags=new\n" % s.path("mail"))
    for part in "new", "cur", "tmp":
        os.makedirs(s.path("mail/" + part))

    def mail(n):
        text = "".join("parcel%d letter%d stamp%d\n" % (n * i, n + i, i) for i in range(60))
        with open(s.path("mail/cur/%d:2,S" % n), "w", encoding="ascii") as f:
            f.write("From: desk@test.example\nTo: clerk@test.example\nSubject: order %d\nMessage-ID: <%d@test.example>\n"
                    "Date: Wed, 02 Dec 2026 10:00:00 +0000\n\n%s" % (n, n, text))

    env = {**os.environ, "NOTMUCH_CONFIG": config, "HOME": s.where}
    with_env = ["env", "NOTMUCH_CONFIG=" + config, "HOME=" + s.where]
    for n in range(20):
        mail(n)
    s.out([*with_env, "notmuch", "new"])
    s.out([*with_env, "notmuch", "tag", "+seen", "id:3@test.example"])
    for n in range(20, MAILS):
        mail(n)
    lock = glob.glob(s.path("mail/.notmuch/xapian/flintlock"))[0]

    def locked_by():
        """The processes that have the lock. A lock of an open file has no pid in /proc/locks."""
        found = []
        for pid in s.living():
            for path in glob.glob("/proc/%d/fd/*" % pid):
                if os.readlink(path) == lock:
                    with open(path.replace("/fd/", "/fdinfo/"), encoding="ascii") as f:
                        if "lock:" in f.read():
                            found.append(pid)
        return found

    # With autogroup, priorities count only within a session. So all are in one session.
    with open(s.path("night"), "w", encoding="ascii") as f:
        f.write(NIGHT)
    night = s.start("index", ["taskset", "-c", cpu, "sh", "night"], talk=True, env=env)
    s.start("bystander", ["chrt", "--idle", "0", "taskset", "-c", cpu, "sleep", "600"])
    s.say("index", "go")
    s.wait("notmuch new has the lock", lambda: proc(night.pid, "comm") == "notmuch\n" and locked_by() == [night.pid], 20)
    os.sched_setscheduler(night.pid, os.SCHED_IDLE, os.sched_param(0))
    for hog, pid in zip(HOGS, children(night.pid)):
        s.role(hog, pid)
    s.begin()
    victim = s.start("victim", ["notmuch", "tag", "+paid", "id:5@test.example"], env=env)
    s.wait("notmuch tag waits for the lock", lambda: s.syscall("victim") == "fcntl" and s.state("victim") == "S")
    s.during("notmuch new has the lock", lambda: locked_by() == [night.pid])
    s.during("notmuch tag waits for it", lambda: victim.poll() is None and s.syscall("victim") == "fcntl" and
             s.locks(lock)["waiters"] != [])
    s.during("notmuch new wants to run, and gets almost no CPU", lambda: s.state("index") == "R" and
             not s.uses_cpu("index", 0.1))
    s.during("it has the policy SCHED_IDLE", lambda: os.sched_getscheduler(night.pid) == os.SCHED_IDLE)
    s.during("the others compute, with normal priority", lambda: all(
        os.sched_getscheduler(s.pid(hog)) == os.SCHED_OTHER and s.uses_cpu(hog, 0.15, 0.3) for hog in HOGS))
    s.during("all may run on this CPU only", lambda: all(os.sched_getaffinity(s.pid(r)) == {cpu} for r in [*HOGS, "index"]))
    s.hang(victim="victim", culprits=["index", *HOGS], causes=["starved"], wrong=["bystander", "test"])
    yield
    for hog in HOGS:
        os.kill(s.pid(hog), signal.SIGKILL)
    os.sched_setscheduler(night.pid, os.SCHED_OTHER, os.sched_param(0))
    os.sched_setaffinity(night.pid, os.sched_getaffinity(0))
    s.ended("victim")
    s.check("the mail has its tag", s.out([*with_env, "notmuch", "search", "--output=messages", "tag:paid"]) ==
            "id:5@test.example")
