# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program waits in asyncio for the result of a future. A thread of watchdog has set the result when a file
came, but without call_soon_threadsafe, so that nothing wakes the loop."""
import os
import re
import signal

from scene import Missing

HELD_OUT = False
NEEDS = {"python3": "python3"}
WATCHDOG = "/usr/lib/python3/dist-packages/watchdog/__init__.py"

INBOX = """
import asyncio, signal, sys, threading
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

class Inbox(FileSystemEventHandler):
    def __init__(self, loop, found, safe):
        self.loop, self.found, self.safe = loop, found, safe
    def on_closed(self, event):
        if self.found.done():
            return
        if self.safe:
            self.loop.call_soon_threadsafe(self.found.set_result, event.src_path)
        else:
            self.found.set_result(event.src_path)
        print("file closed, says", threading.get_native_id(), flush=True)

async def main(folder, safe):
    loop = asyncio.get_running_loop()
    found = loop.create_future()
    loop.add_signal_handler(signal.SIGUSR1, lambda: None)
    observer = Observer()
    observer.schedule(Inbox(loop, found, safe), folder)
    observer.start()
    print("watches", flush=True)
    print("got", (await found).rsplit("/", 1)[1], flush=True)
    observer.stop()

asyncio.run(main(sys.argv[1], sys.argv[2] == "safe"))
"""


def play(s):
    if not os.path.exists(WATCHDOG):
        raise Missing("no watchdog here (package python3-watchdog)")
    for name in "inbox", "spare", "other":
        os.mkdir(s.path(name))
    with open(s.path("inbox.py"), "w", encoding="ascii") as f:
        f.write(INBOX)

    def put(path):
        with open(s.path(path), "w", encoding="ascii") as f:
            f.write("order 17\n")

    programs = ("first", "spare", "safe"), ("bystander", "other", "safe"), ("victim", "inbox", "fast")
    for name, folder, how in programs:
        s.start(name, ["/usr/bin/python3", "inbox.py", folder, how])
        s.wait("%s watches" % name, lambda name=name: "watches" in s.output(name))
    put("spare/order")
    s.wait("the safe way works", lambda: s.processes["first"][0].poll() == 0 and "got order" in s.output("first"))
    s.wait("the loop waits", lambda: s.syscall("victim") == "epoll_wait")

    s.begin()
    put("inbox/order")
    s.wait("a thread has set the result", lambda: "file closed" in s.output("victim"))
    setter = int(re.search(r"says (\d+)\n", s.output("victim")).group(1))
    s.role("setter", s.pid("victim"), setter)
    others = [x for x in s.threads("victim") if x not in (setter, s.pid("victim"))]
    for i, tid in enumerate(others):
        s.role("thread%d" % i, s.pid("victim"), tid)
    s.during("the result is there, and the loop does not know", lambda: "file closed" in s.output("victim") and
             "got" not in s.output("victim"))
    s.during("the loop waits", lambda: s.syscall("victim") == "epoll_wait" and s.state("victim") == "S")
    s.during("the threads of watchdog wait", lambda: s.state("setter") == "S" and all(
        s.state("thread%d" % i) == "S" for i in range(len(others))))
    s.during("nobody computes", lambda: not s.uses_cpu("victim", 0.1))
    s.hang(victim="victim", culprits=["victim", "setter"], causes=["missing-wakeup"],
           wrong=[*("thread%d" % i for i in range(len(others))), "bystander", "test"])
    yield
    os.kill(s.pid("victim"), signal.SIGUSR1)  # any signal wakes the loop
    s.ended("victim")
    s.check("the program got the file", "got order" in s.output("victim"))
