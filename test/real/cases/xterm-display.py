# SPDX-License-Identifier: GPL-2.0-or-later
"""seq waits in a write to its terminal, an xterm. The xterm waits for the X server, which SIGSTOP has stopped."""
import os
import signal

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "xterm": "xterm", "seq": "coreutils"}
LINES = 100000


def play(s):
    def desk(name):
        s.start("xvfb_" + name, ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
        s.wait("the X server says its display", lambda: s.output("xvfb_" + name).split()[-1].isdigit())
        env = {**os.environ, "DISPLAY": ":" + s.output("xvfb_" + name).split()[-1], "ENV": ""}
        s.out(["mkfifo", "go_" + name])
        shell = "read x <go_%s; seq %d; touch done_%s; read x <go_%s" % (name, LINES, name, name)
        s.start("xterm_" + name, ["xterm", "-fn", "fixed", "-e", "sh", "-c", shell], env=env)
        s.wait("the shell is there", lambda: s.child("xterm_" + name, "sh"))
        s.role("shell_" + name, s.child("xterm_" + name, "sh"))
        s.wait("the shell waits for the pipe", lambda: s.syscall("shell_" + name) == "openat")
        s.wait("xterm is idle", lambda: not s.uses_cpu("xterm_" + name, 0.02, 0.5))

    def go(name):
        fd = os.open(s.path("go_" + name), os.O_WRONLY | os.O_NONBLOCK)
        os.write(fd, b"go\n")
        os.close(fd)

    desk("near")
    desk("far")

    s.begin()
    os.kill(s.pid("xvfb_near"), signal.SIGSTOP)
    s.wait("the X server stops", lambda: s.state("xvfb_near") == "T")
    go("near")
    s.wait("seq runs", lambda: s.child("shell_near", "seq"))
    s.role("seq", s.child("shell_near", "seq"))
    s.wait("seq waits for the terminal", lambda: s.syscall("seq") == "write" and not s.uses_cpu("seq", 0.02, 0.2))
    s.during("the X server is stopped", lambda: s.state("xvfb_near") == "T")
    s.during("seq waits in a write to the terminal", lambda: s.syscall("seq") == "write" and s.state("seq") == "S" and
             os.readlink("/proc/%d/fd/1" % s.pid("seq")).startswith("/dev/pts/"))
    s.during("xterm waits for the X server", lambda: s.state("xterm_near") == "S" and
             s.syscall("xterm_near") in ("poll", "select", "pselect6", "writev", "recvmsg") and
             not s.uses_cpu("xterm_near", 0.02, 0.2))
    s.during("the other X server is idle", lambda: s.state("xvfb_far") == "S")
    s.hang(victim="seq", culprits=["xvfb_near", "test"], causes=["stopped"], vague=["xterm_near"],
           stuck=["shell_near"], wrong=["xvfb_far", "xterm_far", "shell_far"])
    yield
    os.kill(s.pid("xvfb_near"), signal.SIGCONT)
    s.went_on("seq ends", lambda: os.path.exists(s.path("done_near")))
