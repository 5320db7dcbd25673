#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""settings.py SECONDS: an event loop reads the settings twenty times a second. After a line of input, another thread
locks the settings and sleeps. Prints the tids of the loop (victim) and of the other thread (root), "ready", and
"hung" when the settings are locked."""
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
