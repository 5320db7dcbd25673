# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: lsyncd waits for changes of a directory, which it copies with rsync. Nothing changes."""
import os

from scene import children

HELD_OUT = False
NEEDS = {"lsyncd": "lsyncd", "rsync": "rsync"}
CONFIG = """
settings { nodaemon = true, inotifyMode = "CloseWrite or Modify" }
sync { default.rsync, source = "%(where)s/from", target = "%(where)s/to", delay = 1 }
"""


def play(s):
    for name in "from", "to":
        os.mkdir(s.path(name))
    with open(s.path("lsyncd.lua"), "w", encoding="ascii") as f:
        f.write(CONFIG % {"where": s.where})

    def write(name):
        with open(s.path("from/" + name), "w", encoding="ascii") as f:
            f.write("a letter\n")

    write("one")
    s.start("lsyncd", ["lsyncd", s.path("lsyncd.lua")])
    s.wait("the first copy is there", lambda: os.path.exists(s.path("to/one")))
    waits = ("pselect6", "select", "poll", "ppoll")
    s.wait("lsyncd watches", lambda: not children(s.pid("lsyncd")) and s.syscall("lsyncd") in waits)
    write("two")
    s.wait("the second copy is there", lambda: os.path.exists(s.path("to/two")))
    s.wait("lsyncd waits", lambda: not children(s.pid("lsyncd")) and s.syscall("lsyncd") in waits)

    s.begin()
    began = s.cpu_s("lsyncd")
    s.during("lsyncd waits for a change", lambda: s.state("lsyncd") == "S" and s.syscall("lsyncd") in waits)
    s.during("it has an inotify queue, and no child", lambda: not children(s.pid("lsyncd")) and
             "anon_inode:inotify" in [
        os.readlink("/proc/%d/fd/%s" % (s.pid("lsyncd"), fd)) for fd in os.listdir("/proc/%d/fd" % s.pid("lsyncd"))])
    s.during("it uses no CPU", lambda: s.cpu_s("lsyncd") - began < 0.05)
    s.normal(victim="lsyncd", causes=["external", "timer"])
    yield
    write("three")
    s.went_on("the third copy is there", lambda: os.path.exists(s.path("to/three")))
    s.check("it has the text", os.path.getsize(s.path("to/three")) == 9)
