# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: inotifywait waits for new files of a directory. A program writes a file now and then."""
import os

HELD_OUT = True
NEEDS = {"inotifywait": "inotify-tools"}


def play(s):
    os.mkdir(s.path("inbox"))
    os.mkdir(s.path("quiet"))
    for name, where in ("watcher", "inbox"), ("bystander", "quiet"):
        s.start(name, ["inotifywait", "-m", "-q", "-e", "close_write", where])
        s.wait("inotifywait waits", lambda name=name: s.syscall(name) in ("read", "poll", "select", "pselect6"))
    s.start("writer", ["sh", "-c", "i=0; while :; do i=$((i+1)); echo parcel >inbox/$i; sleep 0.7; done"])

    def seen():
        return s.output("watcher").count("CLOSE_WRITE")

    s.wait("inotifywait sees a file", lambda: seen() > 0)

    s.begin()

    def goes_on():
        n = seen()
        s.wait("inotifywait sees the next file", lambda: seen() > n, 2)
        return True

    s.during("inotifywait sees each file", goes_on)
    s.during("inotifywait has seen all files", lambda: abs(seen() - len(os.listdir(s.path("inbox")))) < 2)
    s.normal(victim="watcher", causes=["timer", "external"])
    yield
    n = seen()
    s.went_on("inotifywait sees the next file", lambda: seen() > n)
    s.check("the other inotifywait has seen nothing", s.output("bystander") == "")
