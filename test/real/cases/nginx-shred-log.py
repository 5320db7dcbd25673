# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for nginx, whose only worker has a line for its log, and waits in write(2) for the lock of the log's inode. shred has
this lock: it overwrites the rotated log, which nginx still has open, without the page cache, and waits for a slow disk."""
import os
import time

from scene import proc

HELD_OUT = True
NEEDS = {"nginx": "nginx", "curl": "curl", "shred": "coreutils", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
CONFIG = """user root; worker_processes 1; daemon off; pid %(where)s/pid; events {}
http { access_log %(log)s; %(temp)s server { listen 127.0.0.1:%(port)s; location / { return 200 open; } } }
"""


def play(s):
    disk, _, limit = s.slow_disk(32)
    log, port = os.path.join(disk, "access.log"), s.port()
    with open(log, "w", encoding="ascii") as f:
        f.write("127.0.0.1 - - a page\n" * 100000)
    s.out(["sync", log])
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(s.path("nginx.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % {"where": s.where, "log": log, "temp": temp, "port": port})
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(port))
    s.role("worker", s.child("nginx"))
    get = ["curl", "-sS", "http://127.0.0.1:%s/" % port]
    s.check("the page comes", s.out(get) == "open")
    size = os.path.getsize(log)
    os.rename(log, log + ".1")  # as logrotate does; nginx is not asked to open its log again
    limit(4096)
    shred = s.start("shred", ["shred", "-n", "1", log + ".1"])

    def mostly(what):
        """Looks 20 times. Returns whether `what` was true in more than 10 of these looks."""
        seen = 0
        for _ in range(20):
            seen += bool(what())
            time.sleep(0.01)
        return seen > 10

    s.wait("shred waits for the disk in a write", lambda: mostly(lambda: s.state("shred") == "D" and s.syscall("shred") == "write"))

    s.begin()
    s.start("first", get)  # its line in the log comes after the answer

    def locked_out(role):
        """Whether the task waits in write(2) for the lock of an inode. Its stack lacks the functions of locks."""
        return s.state(role) == "D" and s.syscall(role) == "write" and "buffered_write_iter" in proc(s.pid(role), "stack").split("\n")[0]

    s.wait("the worker waits for the lock of the inode", lambda: locked_out("worker"))
    victim = s.start("victim", get)

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + port]).split()[1])

    s.wait("the victim is not accepted", lambda: unaccepted() == 1)
    s.during("the worker waits in write for the lock of the inode", lambda: locked_out("worker"))
    s.during("shred waits for the disk in a write", lambda: s.syscall("shred") == "write" and s.state("shred") == "D" and
             not locked_out("shred"))
    s.during("both have the same file open", lambda: all(
        any(os.stat("/proc/%d/fd/%s" % (s.pid(role), fd)).st_ino == os.stat(log + ".1").st_ino
            for fd in os.listdir("/proc/%d/fd" % s.pid(role))) for role in ("worker", "shred")))
    s.during("the victim is not accepted", lambda: victim.poll() is None and unaccepted() == 1)
    s.hang(victim="victim", culprits=["shred"], causes=["disk", "lock-holder"], vague=["worker"],
           wrong=["nginx", "first", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "open")
    s.wait("shred ends", lambda: shred.poll() == 0)
    s.wait("nginx wrote its lines to the rotated log", lambda: os.path.getsize(log + ".1") > size)
