# SPDX-License-Identifier: GPL-2.0-or-later
"""An asyncio program waits for the end of tar, and does not read tar's output. tar waits, because the pipe is full."""
import fcntl
import os
import signal
import struct
import termios

HELD_OUT = False
NEEDS = {"python3": "python3", "tar": "tar"}

# While the StreamReader has more than 128 KiB, the event loop does not read from the pipe.
# SIGUSR1 makes the program read.
BACKUP = """
import asyncio, signal
from asyncio.subprocess import PIPE

async def pack(what, unlock):
    tar = await asyncio.create_subprocess_exec("tar", "-cf", "-", what, stdout=PIPE)
    if unlock:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, unlock.set)
        reader = asyncio.create_task(read(tar, unlock))
        await tar.wait()
        return await reader
    await tar.wait()
    return len(await tar.stdout.read())

async def read(tar, unlock):
    await unlock.wait()
    return len(await tar.stdout.read())

async def main():
    print("small", await pack("small", None), flush=True)
    print("large", await pack("large", asyncio.Event()), flush=True)

asyncio.run(main())
"""


def play(s):
    with open(s.path("backup.py"), "w", encoding="utf-8") as f:
        f.write(BACKUP)
    for name, size in ("small", 1000), ("large", 2000000):
        with open(s.path(name), "wb") as f:
            f.write(b"x" * size)
    s.start("bystander", ["sh", "-c", "cat backup.py; exec sleep 60"])

    s.begin()
    s.start("parent", ["/usr/bin/python3", "backup.py"])
    s.wait("the small file is packed", lambda: "small " in s.output("parent"))
    s.wait("tar packs the large file", lambda: s.child("parent", "tar"))
    tar = s.role("tar", s.child("parent", "tar"))
    s.wait("tar waits in a write", lambda: s.syscall("tar") == "write" and s.state("tar") == "S")
    pipe = os.readlink("/proc/%d/fd/1" % tar)

    def full():
        """Whether tar's pipe of 64 KiB is almost full."""
        fd = os.open("/proc/%d/fd/1" % tar, os.O_RDONLY | os.O_NONBLOCK)
        try:
            return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0] > 60000
        finally:
            os.close(fd)

    def ends(pid):
        fds = "/proc/%d/fd" % pid
        return sum(os.readlink(os.path.join(fds, fd)) == pipe for fd in os.listdir(fds))

    s.during("tar waits in a write to a full pipe", lambda: s.syscall("tar") == "write" and full())
    s.during("the program has the other end of the pipe", lambda: pipe.startswith("pipe:") and ends(s.pid("parent")) == 1)
    s.during("the program's main thread is idle", lambda: s.state("parent") == "S" and
             s.syscall("parent") in ("epoll_wait", "epoll_pwait") and not s.uses_cpu("parent", 0.01))
    s.during("the program waits for tar", lambda: "large" not in s.output("parent"))
    s.hang(victim="parent", culprits=["parent", "tar"], causes=["circular-wait", "slow-peer"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("parent"), signal.SIGUSR1)
    s.ended("parent")
    s.check("the program has all of tar's output", "large 20" in s.output("parent"))
