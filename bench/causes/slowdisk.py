#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk whose flushes are slow: a loop device on a file that a FUSE file system serves.

  slowdisk.py DIR MS      mounts the file DIR/file/disk, ends at the unmount. Each fsync() takes MS milliseconds longer
"""
import contextlib
import os
import subprocess
import sys
import time

SIZE = 512 << 20
MEMORY = "/dev/shm"  # a file on a real disk would add its own delays


def serve(where, ms):
    import fusepy  # pylint: disable=import-outside-toplevel

    class Disk(fusepy.Operations):
        def __init__(self):
            self.fd = os.open(MEMORY, os.O_TMPFILE | os.O_RDWR, 0o600)
            os.ftruncate(self.fd, SIZE)

        def getattr(self, path, fh=None):
            is_file = path == "/disk"
            return {"st_mode": 0o100600 if is_file else 0o40700, "st_nlink": 1, "st_size": SIZE if is_file else 0}

        def readdir(self, path, fh):
            return [".", "..", "disk"]

        def read(self, path, size, offset, fh):
            return os.pread(self.fd, size, offset)

        def write(self, path, data, offset, fh):
            return os.pwrite(self.fd, data, offset)

        def fsync(self, path, datasync, fh):
            time.sleep(ms / 1e3)

    fusepy.FUSE(Disk(), os.path.join(where, "file"), foreground=True, big_writes=True)


class SlowDisk:
    """A context manager. In its with block, a slow disk is mounted on the directory `path`."""

    def __init__(self, where, ms):
        self.where, self.ms, self.path = where, ms, os.path.join(where, "mount")
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        with self.stack:
            for name in "file", "mount":
                os.makedirs(os.path.join(self.where, name))
            p = subprocess.Popen([sys.executable, "-B", __file__, self.where, str(self.ms)], stdin=subprocess.DEVNULL)
            self.stack.callback(p.wait)
            self.stack.callback(self.quiet, "umount", "-l", os.path.join(self.where, "file"))
            disk = os.path.join(self.where, "file", "disk")
            for _ in range(100):
                if os.path.exists(disk):
                    break
                time.sleep(0.1)
            device = self.quiet("losetup", "--find", "--show", disk).strip()
            self.stack.callback(self.quiet, "losetup", "-d", device)
            self.quiet("mkfs.ext4", "-q", "-E", "nodiscard", device)
            self.quiet("mount", device, self.path)
            self.stack.callback(self.quiet, "umount", self.path)
            os.chmod(self.path, 0o777)
            self.stack = self.stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    @staticmethod
    def quiet(*cmd):
        return subprocess.run(cmd, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    serve(sys.argv[1], float(sys.argv[2]))
