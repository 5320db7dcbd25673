# SPDX-License-Identifier: GPL-2.0-or-later
"""find waits for its terminal, a pane of tmux, because the user has pressed Ctrl-S there. tmux and other panes work."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"tmux": "tmux", "find": "findutils"}
FILES = 6000


def play(s):
    os.mkdir(s.path("papers"))
    for i in range(FILES):
        with open(os.path.join(s.path("papers"), "%05d-paper" % i), "w", encoding="ascii"):
            pass
    env = ["env", "-u", "TMUX", "TERM=xterm", "PS1=$ ", "ENV="]

    def tmux(*words):
        return s.out([*env, "tmux", "-S", s.path("socket"), "-f", "/dev/null", *words])

    tmux("new-session", "-d", "-x", "80", "-y", "24", "sh")
    s.role("tmux", int(tmux("display-message", "-p", "#{pid}")))
    tmux("new-window", "-d", "sh")
    for i, name in enumerate(["shell", "bystander"]):
        s.role(name, int(tmux("list-panes", "-t", ":%d" % i, "-F", "#{pane_pid}")))
        s.wait("%s is ready" % name, lambda name=name: s.syscall(name) == "read")

    def typed(pane, *keys):
        tmux("send-keys", "-t", ":%d" % pane, *keys)

    def shows(pane, text):
        return text in tmux("capture-pane", "-p", "-t", ":%d" % pane)

    typed(0, "echo hel''lo", "Enter")
    s.wait("the shell answers", lambda: shows(0, "hello"))

    s.begin()
    typed(0, "find papers && echo do''ne", "Enter", "C-s")
    s.wait("find runs", lambda: s.child("shell", "find"))
    s.role("find", s.child("shell", "find"))
    s.wait("find waits", lambda: s.syscall("find") == "write" and not s.uses_cpu("find", 0.01, 0.2))
    s.during("find waits in a write to its terminal", lambda: s.syscall("find") == "write" and s.state("find") == "S" and
             proc(s.pid("find"), "syscall").split()[1] == "0x1" and
             os.readlink("/proc/%d/fd/1" % s.pid("find")).startswith("/dev/pts/"))
    s.during("tmux is idle", lambda: s.state("tmux") == "S" and not s.uses_cpu("tmux", 0.2))
    count = [0]

    def other_works():
        count[0] += 1
        typed(1, "echo an''swer %d" % count[0], "Enter")
        s.wait("the other shell answers", lambda: shows(1, "answer %d" % count[0]), 2)
        return True

    s.during("the shell of the other pane answers", other_works)
    # tmux passes the Ctrl-S of the test on.
    s.hang(victim="find", culprits=["test", "tmux"], causes=["external", "stopped", "slow-peer"],
           wrong=["shell", "bystander"])
    yield
    typed(0, "C-q")
    s.went_on("find ends", lambda: shows(0, "done"))
