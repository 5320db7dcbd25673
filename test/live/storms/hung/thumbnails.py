#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""thumbnails.py SECONDS: all threads of an executor sleep in their jobs. The main thread waits for one more job,
which is queued. Prints the tids of the main thread (victim) and of the workers (root), and "hung"."""
import concurrent.futures
import sys
import threading
import time

SECONDS = float(sys.argv[1])
WORKERS = 3


def fetch(_):
    print("root=%d\n" % threading.get_native_id(), end="", flush=True)
    time.sleep(SECONDS)


with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
    pool.map(fetch, range(WORKERS))
    time.sleep(0.3)
    print("victim=%d\nhung" % threading.get_native_id(), flush=True)
    pool.submit(len, "photo").result()
    time.sleep(600)
