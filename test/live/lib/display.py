# SPDX-License-Identifier: GPL-2.0-or-later
"""An X server without a screen (Xvfb), its keyboard and its picture."""
import ctypes
import mmap
import os
import shutil
import subprocess
import time

from . import Failed, Skipped

SHIFT = 0xffe1  # a keysym


class Keyboard:
    """Presses keys of an X server."""

    def __init__(self, display):
        try:
            self.x, self.tst = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        except OSError as e:
            raise Skipped(str(e)) from e
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.d = ctypes.c_void_p(self.x.XOpenDisplay(display.encode()))
        if not self.d:
            raise Failed("the X server does not answer")

    def press(self, key):
        """key: a letter, or a keysym. Returns the ns of the monotonic clock before and after the press."""
        code = self.x.XKeysymToKeycode(self.d, ctypes.c_ulong(ord(key) if isinstance(key, str) else key))
        before = time.monotonic_ns()
        self.tst.XTestFakeKeyEvent(self.d, code, 1, ctypes.c_ulong(0))
        self.tst.XTestFakeKeyEvent(self.d, code, 0, ctypes.c_ulong(0))
        self.x.XSync(self.d, 0)
        return before, time.monotonic_ns()


def start_server(where):
    """Returns the server, and the name of its display. `where` gets its log and its picture."""
    if not shutil.which("Xvfb"):
        raise Skipped("there is no Xvfb")
    r, w = os.pipe()
    with open(os.path.join(where, "Xvfb.log"), "w", encoding="utf-8") as log:
        server = subprocess.Popen(["Xvfb", "-displayfd", str(w), "-screen", "0", "640x480x24", "-nolisten", "tcp", "-fbdir", where],
                                  stdout=log, stderr=log, pass_fds=[w], preexec_fn=lambda: os.nice(-10))
    os.close(w)
    with os.fdopen(r) as f:
        number = f.readline().strip()
    if not number:
        server.wait()
        raise Skipped("Xvfb does not start")
    return server, ":" + number


class Picture:
    """The picture of the server that start_server() started."""

    def __init__(self, where):
        self.libc = ctypes.CDLL(None)
        self.libc.memcmp.argtypes = self.libc.memmove.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.libc.memmove.restype = ctypes.c_void_p
        with open(os.path.join(where, "Xvfb_screen0"), "r+b") as f:
            self.map = mmap.mmap(f.fileno(), 0)
        self.size = len(self.map)
        self.now = (ctypes.c_char * self.size).from_buffer(self.map)
        self.before = ctypes.create_string_buffer(self.size)
        self.changed()

    def changed(self):
        """Returns true if the picture has changed since the last call."""
        if not self.libc.memcmp(self.now, self.before, self.size):
            return False
        self.libc.memmove(self.before, self.now, self.size)
        return True

    def watch(self, until_ns):
        """Returns the times of the changes up to until_ns."""
        changes = []
        while time.monotonic_ns() < until_ns:
            if self.changed():
                changes.append(time.monotonic_ns())
            time.sleep(0.0003)
        return changes
