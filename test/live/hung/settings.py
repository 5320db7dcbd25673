#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""settings.py SECONDS: an event loop reads the settings twenty times a second.  Another thread reloads them when a line
comes from the standard input, and keeps their lock for SECONDS while it waits for its source.  Prints the tids of the
loop (victim) and of the other thread (root), then "ready"; prints "hung" when the lock is taken."""
import select
import sys
import threading
import time

SECONDS = float(sys.argv[1])
lock, told = threading.Lock(), threading.Barrier(2)
settings = {"colour": "red"}


def reload():
    print("root=%d\n" % threading.get_native_id(), end="", flush=True)
    told.wait()
    for _ in sys.stdin:
        with lock:
            print("hung", flush=True)
            time.sleep(SECONDS)
            settings["colour"] = "blue"


threading.Thread(target=reload, daemon=True).start()
print("victim=%d\n" % threading.get_native_id(), end="", flush=True)
told.wait()
print("ready", flush=True)
loop = select.epoll()
while True:
    loop.poll(0.05)
    with lock:
        colour = settings["colour"]
