# SPDX-License-Identifier: GPL-2.0-or-later
"""A build script in Python waits for the end of gcc's output, and does not read gcc's errors meanwhile. cc1 waits, because
the pipe for the errors is full of warnings."""
import fcntl
import os
import signal
import struct
import termios

from scene import proc

HELD_OUT = False
NEEDS = {"python3": "python3", "gcc": "gcc"}
WARNINGS = 1500
# SIGUSR1 makes the script read the errors.
BUILD = """
import signal, subprocess
from subprocess import PIPE

def build(name):
    global gcc
    gcc = subprocess.Popen(["gcc", "-Wall", "-Wextra", "-c", name + ".c"], stdout=PIPE, stderr=PIPE)
    gcc.stdout.read()
    warnings.append(gcc.stderr.read())
    code = gcc.wait()
    print(name, "code", code, "warnings", b"".join(warnings).count(b"warning:"), flush=True)
    warnings.clear()

warnings = []
signal.signal(signal.SIGUSR1, lambda *_: warnings.append(gcc.stderr.read()))
build("clean")
build("sloppy")
"""


def play(s):
    for name, text in ("build.py", BUILD), ("clean.c", "int clean(void) { return 0; }\n"), \
            ("sloppy.c", "int sloppy(int n) {\n" + "".join("\tint parcel%d;\n" % i for i in range(WARNINGS)) +
             "\treturn n;\n}\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("bystander", ["sh", "-c", "cat build.py; exec sleep 60"])

    s.begin()
    victim = s.start("victim", ["/usr/bin/python3", "build.py"])
    s.wait("the clean file is built", lambda: "clean code 0 warnings 0" in s.output("victim"))
    s.wait("gcc runs", lambda: s.child("victim", "gcc"))
    s.role("gcc", s.child("victim", "gcc"))
    s.wait("cc1 runs", lambda: s.child("gcc", "cc1"))
    cc1 = s.role("cc1", s.child("gcc", "cc1"))
    s.wait("cc1 waits in a write", lambda: s.syscall("cc1") == "write" and s.state("cc1") == "S")
    out, errors = (os.readlink("/proc/%d/fd/%d" % (cc1, fd)) for fd in (1, 2))

    def call(role):
        """The system call of a role, and its file."""
        v = proc(s.pid(role), "syscall").split()
        return v[0], os.readlink("/proc/%d/fd/%d" % (s.pid(role), int(v[1], 16)))

    def full():
        """Whether the pipe of 64 KiB for the errors is almost full."""
        fd = os.open("/proc/%d/fd/2" % cc1, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0] > 60000
        finally:
            os.close(fd)

    def has(pipe):
        fds = "/proc/%d/fd" % victim.pid
        return sum(os.readlink(os.path.join(fds, fd)) == pipe for fd in os.listdir(fds)) == 1

    s.during("cc1 waits in a write to the full pipe for errors", lambda: call("cc1") == ("1", errors) and full())
    s.during("gcc waits for cc1", lambda: s.syscall("gcc") in ("wait4", "waitid"))
    s.during("the script reads the other pipe of gcc", lambda: call("victim") == ("0", out) and out != errors and
             s.state("victim") == "S")
    s.during("the script has the other end of the pipe for errors", lambda: errors.startswith("pipe:") and has(errors))
    s.during("the second file is not built", lambda: victim.poll() is None and "sloppy" not in s.output("victim"))
    s.hang(victim="victim", culprits=["victim", "cc1"], causes=["circular-wait", "slow-peer"], vague=["gcc"],
           wrong=["bystander", "test"])
    yield
    os.kill(victim.pid, signal.SIGUSR1)
    s.ended("victim")
    s.check("the script has all warnings", "sloppy code 0 warnings %d" % WARNINGS in s.output("victim"))
