# SPDX-License-Identifier: GPL-2.0-or-later
"""logger waits for rsyslogd to read its socket. rsyslogd waits for its alert program, which waits for a file lock."""
import os

from scene import children, proc

HELD_OUT = False
NEEDS = {"rsyslogd": "rsyslog", "logger": "bsdutils", "flock": "util-linux"}
CONFIG = """global(workDirectory="{w}")
module(load="imuxsock" SysSock.Use="off")
module(load="omprog")
input(type="imuxsock" Socket="{w}/log.sock" RateLimit.Interval="0")
template(name="line" type="string" string="%msg%\\n")
main_queue(queue.type="Direct")
if $msg contains "ALERT" then
    action(type="omprog" binary="{w}/alert" template="line" confirmMessages="on" confirmTimeout="60000")
action(type="omfile" file="{w}/messages" template="line")
"""
ALERT = """#!/bin/sh
echo OK
cd {w}
while read -r line; do
    flock alerts.lock true
    echo "$line" >>alerts
    echo OK
done
"""
LINES = 2000


def play(s):
    lock = s.path("alerts.lock")
    for name, text in ("rsyslog.conf", CONFIG), ("alert", ALERT), ("alerts", ""), ("messages", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text.format(w=s.where))
    os.chmod(s.path("alert"), 0o755)
    with open(s.path("lines"), "w", encoding="ascii") as f:
        f.write("ALERT the desk burns\n" + "".join("parcel %d\n" % i for i in range(LINES)))
    s.start("rsyslogd", ["rsyslogd", "-n", "-f", s.path("rsyslog.conf"), "-i", s.path("pid")])
    s.wait("rsyslogd listens", lambda: os.path.exists(s.path("log.sock")))
    logger = ["logger", "-u", s.path("log.sock"), "-t", "shop"]

    def written(name):
        with open(s.path(name), encoding="ascii") as f:
            return f.read().splitlines()

    s.out([*logger, "ALERT the shop burns"])
    s.wait("an alert comes", lambda: len(written("alerts")) == 1 and len(written("messages")) == 1)
    s.role("alert", next(pid for pid in children(s.pid("rsyslogd")) if proc(pid, "comm") == "alert\n"))
    s.start("bystander", ["flock", s.path("other.lock"), "sleep", "60"])
    owner = s.start("owner", ["flock", lock, "sleep", s.seconds + 3])
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [owner.pid] and s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))

    s.begin()
    victim = s.start("victim", [*logger, "-f", s.path("lines")])
    s.wait("the alert program waits for the lock", lambda: s.child("alert", "flock") in s.locks(lock)["waiters"])
    s.role("taker", s.child("alert", "flock"))
    s.wait("logger waits", lambda: s.syscall("victim") in ("sendmsg", "sendto", "write"))
    s.during("the owner has the lock, for which the alert program waits",
             lambda: s.locks(lock) == {"owners": [owner.pid], "waiters": [s.pid("taker")]})
    s.during("logger waits for the socket", lambda: victim.poll() is None and "unix" in s.wchan("victim") and
             s.syscall("victim") in ("sendmsg", "sendto", "write"))
    s.during("rsyslogd writes no message", lambda: len(written("messages")) == 1)
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"],
           vague=["rsyslogd", "alert", "taker"], wrong=["bystander", "test"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.wait("all messages are there", lambda: len(written("messages")) == LINES + 2)
