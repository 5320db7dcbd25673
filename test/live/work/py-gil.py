#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread of a Python program makes one long call with the interpreter's lock. Another thread waits for the lock."""
import os
import re
import threading
import time


def role(name):
    print("role.%s=%d/%d" % (name, os.getpid(), threading.get_native_id()), flush=True)


def owner():
    role("owner")
    began.set()
    re.match("(a+)+$", "a" * length + "b")


def duration(n):
    a = time.monotonic()
    re.match("(a+)+$", "a" * n + "b")
    return time.monotonic() - a


# With each further "a" in its text, re.match() takes twice as long. The loop finds the length for owner().
length = 16
while duration(length) < 1.3:
    length += 1
length += 1

for key, value in (("verdict", "repeated-yield|long-wait"), ("cause", "busy|slow-peer|lock-holder|polling"),
                   ("kind", "futex"), ("root", "owner"), ("chain", "victim,owner")):
    print("expect.%s=%s" % (key, value), flush=True)
role("victim")
print("victim_pid=%d\nvictim_tid=%d" % (os.getpid(), threading.get_native_id()), flush=True)
began = threading.Event()
thread = threading.Thread(target=owner)
begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
thread.start()
began.wait()
thread.join(0.001)
time.sleep(0)
end = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
print("t_start_ns=%d\nt_end_ns=%d" % (begin, end), flush=True)
thread.join()
