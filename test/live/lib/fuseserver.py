# SPDX-License-Identifier: GPL-2.0-or-later
"""A FUSE file system. A test can stop its server. No FUSE library is needed."""
import contextlib
import ctypes
import fcntl
import os
import signal
import struct
import time

from lib import Failed, Skipped

libc = ctypes.CDLL(None, use_errno=True)
ROOT = 1
(LOOKUP, FORGET, GETATTR, SETATTR, OPEN, WRITE, RELEASE, FSYNC, FLUSH, INIT, OPENDIR, RELEASEDIR, BATCH_FORGET) = \
    (1, 2, 3, 4, 14, 16, 18, 20, 25, 26, 27, 29, 42)
NOFLUSH = 1 << 5  # close() need not wait for the server
FIRST_PATIENT = 100


class Server:
    """A file system, mounted at `where`. Every name in it is a file. The kernel keeps the attributes of files
    "patient*" for a minute, and asks the server about other files each time. For a name "locked*",
    the server first locks the file `lock` with flock(), and then answers."""

    def __init__(self, where, lock=None):
        self.where, self.lock, self.names, self.sizes = where, lock, {}, {}
        self.fd = self.pid = None

    def start(self):
        try:
            self.fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            raise Skipped("no /dev/fuse here") from None
        opts = "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % self.fd
        if libc.mount(b"fairness", self.where.encode(), b"fuse.fairness", 6, opts.encode()):
            raise Skipped("cannot mount a FUSE file system here: %s" % os.strerror(ctypes.get_errno()))
        self.pid = os.fork()
        if self.pid == 0:
            with contextlib.suppress(BaseException):
                libc.prctl(1, signal.SIGKILL)
                self.serve()
            os._exit(0)
        os.close(self.fd)

    def file(self, name):
        return os.open(os.path.join(self.where, name), os.O_RDWR | os.O_CLOEXEC)

    def freeze(self):
        os.kill(self.pid, signal.SIGSTOP)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            with open("/proc/%d/stat" % self.pid, encoding="ascii", errors="replace") as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "T":
                    return
            time.sleep(0.01)
        raise Failed("the server of the file system does not stop")

    def thaw(self):
        os.kill(self.pid, signal.SIGCONT)

    def close(self):
        if self.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            libc.umount2(self.where.encode(), 2)

    def attr(self, node):
        mode = 0o40755 if node == ROOT else 0o100666
        return struct.pack("<QQQQQQIIIIIIIIII", node, self.sizes.get(node, 0), 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0,
                           4096, 0)

    def valid(self, node):
        return 60 if node >= FIRST_PATIENT else 0

    def lookup(self, name):
        if name.startswith(b"locked"):
            with open(self.lock, "w", encoding="utf-8") as f:
                fcntl.flock(f, fcntl.LOCK_EX)
        if name not in self.names:
            first = FIRST_PATIENT if name.startswith(b"patient") else 2
            self.names[name] = first + len(self.names)
        node = self.names[name]
        return struct.pack("<QQQQII", node, 0, self.valid(node), self.valid(node), 0, 0) + self.attr(node)

    def answer(self, op, node, body):
        if op == INIT:
            return struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 0, 0, 65536, 1, 0, 0, 0)
        if op == LOOKUP:
            return self.lookup(body.rstrip(b"\0"))
        if op == SETATTR and struct.unpack_from("<I", body)[0] & 8:
            self.sizes[node] = struct.unpack_from("<Q", body, 16)[0]
        if op in (GETATTR, SETATTR):
            return struct.pack("<QII", self.valid(node), 0, 0) + self.attr(node)
        if op in (OPEN, OPENDIR):
            return struct.pack("<QII", 1, NOFLUSH, 0)
        if op == WRITE:
            off, size = struct.unpack_from("<QI", body, 8)
            self.sizes[node] = max(self.sizes.get(node, 0), off + size)
            return struct.pack("<II", size, 0)
        return b"" if op in (RELEASE, FLUSH, RELEASEDIR, FSYNC) else None

    def serve(self):
        while True:
            try:
                req = os.read(self.fd, 1 << 18)
            except OSError:
                continue
            _, op, unique, node = struct.unpack_from("<IIQQ", req)
            out = self.answer(op, node, req[40:])
            if op in (FORGET, BATCH_FORGET):
                continue
            head = struct.pack("<IiQ", 16 + len(out or b""), 0 if out is not None else -38, unique)
            with contextlib.suppress(OSError):  # the task that asked may have ended
                os.write(self.fd, head + (out or b""))
