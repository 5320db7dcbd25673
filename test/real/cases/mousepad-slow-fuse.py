# SPDX-License-Identifier: GPL-2.0-or-later
"""The editor mousepad waits for a file of a FUSE file system. bindfs sleeps before it answers, because of --read-rate."""
import os
import subprocess

from scene import Invalid, proc

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "mousepad": "mousepad", "bindfs": "bindfs", "xdotool": "xdotool", "xdpyinfo": "x11-utils"}
SIZE = 1 << 18


def play(s):
    for name, limit in ("slow", ["--read-rate=%d" % (SIZE // (s.seconds + 4))]), ("bystander", []):
        source, there = s.path(name + ".source"), s.path(name + ".mount")
        os.mkdir(source)
        os.mkdir(there)
        with open(os.path.join(source, "page.txt"), "w", encoding="ascii") as f:
            f.write(("hello " * 9 + "\n") * (SIZE // 55))
        s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
        s.start(name, ["bindfs", "-f", *limit, source, there])
        s.wait("%s is mounted" % name, lambda there=there: os.path.ismount(there))
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    display = ":" + s.output("xvfb").split()[-1]
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.where, "GSETTINGS_BACKEND": "memory",
           "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + s.path("bus")}

    def title():
        """The title of mousepad's window."""
        try:
            return s.out(["env", "DISPLAY=" + display, "xdotool", "search", "--name", "Mousepad", "getwindowname", "%@"])
        except Invalid as e:  # there is no window yet
            raise ValueError(e) from None

    s.begin()
    victim = s.start("victim", ["mousepad", "--disable-server", os.path.join(s.path("slow.mount"), "page.txt")], env=env)
    s.wait("mousepad waits for the file", lambda: s.state("victim") == "D" and s.syscall("victim") == "read")
    s.during("mousepad sleeps in a read of the file", lambda: victim.poll() is None and s.state("victim") == "D" and
             s.syscall("victim") == "read" and "page.txt" in os.readlink(
                 "/proc/%d/fd/%d" % (victim.pid, int(proc(victim.pid, "syscall").split()[1], 16))))
    s.during("bindfs sleeps, and waits for no file", lambda: s.syscall("slow") == "clock_nanosleep")
    s.during("the other file system answers",
             lambda: s.out(["head", "-c", "5", os.path.join(s.path("bystander.mount"), "page.txt")]) == "hello")
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display]))
    s.hang(victim="victim", culprits=["slow"], causes=["timer", "slow-peer"], wrong=["bystander", "xvfb", "test"])
    yield
    s.went_on("mousepad shows the file", lambda: "page.txt" in title())
