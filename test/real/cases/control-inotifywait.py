# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: inotifywait waits on purpose for uploads. One comes every 0.4 s, and a shell compresses it at once."""
import os

HELD_OUT = False
NEEDS = {"inotifywait": "inotify-tools", "gzip": "gzip"}

INBOX = """#!/bin/sh
inotifywait -q -m -e close_write --format %f inbox | while read -r name; do
    gzip -c "inbox/$name" >"done/$name.gz" && echo "$name"
done
"""


def play(s):
    for name in "inbox", "done":
        os.mkdir(s.path(name))
    with open(s.path("inbox.sh"), "w", encoding="ascii") as f:
        f.write(INBOX)
    s.start("inbox", ["sh", "inbox.sh"])
    s.wait("inotifywait runs", lambda: s.child("inbox", "inotifywait"))
    s.role("inotifywait", s.child("inbox", "inotifywait"))
    s.wait("inotifywait waits", lambda: s.syscall("inotifywait") in ("read", "select", "pselect6", "poll"))
    s.start("uploads", ["sh", "-c", "n=0; while sleep 0.4; do n=$((n + 1)); seq 1000 >inbox/$n; done"])

    s.begin()

    def goes_on():
        n = len(s.output("inbox").split())
        s.wait("an upload is done", lambda: len(s.output("inbox").split()) > n, 3)
        return len(os.listdir(s.path("inbox"))) - len(s.output("inbox").split()) <= 1

    s.during("uploads come, and none waits", goes_on)
    s.during("inotifywait uses almost no CPU", lambda: not s.uses_cpu("inotifywait", 0.1))
    s.normal(victim="inotifywait", causes=["timer", "external"])
    yield
    n = len(s.output("inbox").split())
    s.went_on("more uploads are done", lambda: len(s.output("inbox").split()) > n + 2)
    s.check("an upload came about every 0.4 s", n >= 1.5 * s.seconds)
