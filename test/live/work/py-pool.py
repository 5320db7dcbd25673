#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two threads of a Python program do jobs, the last of which takes long. All threads pass the interpreter's lock to
each other, but these handoffs cause nothing."""
import _thread
import os
import queue
import threading
import time

from told import SEEN, caused, now, role, say, sleeps, stamp, tell

ROUNDS = 12
SCALE = float(os.environ.get("LIVE_SCALE", "1"))


def compute(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def worker(by, name):
    caused("fork", by, SEEN)
    role(name)
    while True:
        before = sleeps()
        by, seconds = jobs.get()
        caused("post", by, before)
        compute(seconds)
        done.put((name, stamp()))


def counter(by):
    caused("fork", by, SEEN)
    role("counter", related=False)
    while True:
        compute(0.02)
        time.sleep(0.02)


def ask(seconds):
    """Gives a job to the pool, and waits. Returns the name of the worker that did the job."""
    jobs.put((stamp(), seconds))
    before = sleeps()
    name, by = done.get()
    caused("post", by, before)
    return name


jobs, done = queue.SimpleQueue(), queue.SimpleQueue()
role("victim")
say("victim_pid=%d\nvictim_tid=%d" % (os.getpid(), threading.get_native_id()))
for number in "12":
    _thread.start_new_thread(worker, (stamp(), "worker" + number))
_thread.start_new_thread(counter, (stamp(),))
time.sleep(0.1)
for _ in range(ROUNDS):
    ask(0.002)
begin = now()
last = ask(2.5 * SCALE)
end = now()
say("t_start_ns=%d\nt_end_ns=%d" % (begin, end))
for key, value in (("verdict", "long-wait"), ("cause", "busy|slow-peer"), ("kind", "futex"), ("root", last),
                   ("chain", "victim," + last)):
    say("expect.%s=%s" % (key, value))
tell()
os._exit(0)
