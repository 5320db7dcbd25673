# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli GET waits for redis-server. The server waits in fsync for a slow disk, to log another client's write."""
import os
import subprocess
import time

from scene import Missing

HELD_OUT = True
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
LIMIT = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"  # of the root group, for one device


def slow_disk(s):
    """A file system on a loop device. Returns its directory, and a function that limits the bytes written a second."""
    if not os.path.exists(LIMIT):
        raise Missing("no limits of block I/O by control groups of version 1")
    image, disk = s.path("image"), s.path("disk")
    with open(image, "wb") as f:
        f.truncate(128 << 20)
    s.out(["mkfs.ext2", "-q", "-F", image])
    loop = s.out(["losetup", "-f", "--show", image])
    s.callback(s.out, ["losetup", "-d", loop])
    os.mkdir(disk)
    s.out(["mount", loop, disk])

    def leave():
        for _ in range(100):  # after SIGKILL, a program may still write for a moment
            if subprocess.run(["umount", disk], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return
            time.sleep(0.1)
        s.out(["umount", "-l", disk])

    s.callback(leave)
    with open("/sys/block/%s/dev" % os.path.basename(loop), encoding="ascii") as f:
        device = f.read().strip()

    def limit(bps):
        with open(LIMIT, "w", encoding="ascii") as f:
            f.write("%s %d" % (device, bps))

    s.callback(limit, 0)
    return disk, limit


def play(s):
    disk, limit = slow_disk(s)
    ports = {"server": s.port(), "bystander": s.port()}
    os.mkdir(s.path("fast"))
    for name, where in ("server", disk), ("bystander", s.path("fast")):
        s.start(name, ["redis-server", "--bind", "127.0.0.1", "--port", ports[name], "--save", "", "--appendonly", "yes",
                       "--appendfsync", "always", "--dir", where])
        s.wait("redis-server answers", lambda name=name: s.connects(ports[name]))
        s.out(["redis-cli", "-p", ports[name], "SET", "stock", "17"])
    with open(s.path("photo"), "wb") as f:
        f.write(os.urandom(4 << 20).replace(b"\0", b"x"))
    s.out(["sync", "-f", disk])
    limit(200 << 10)

    s.begin()
    s.start("writer", ["sh", "-c", "exec redis-cli -p %s -x SET photo <photo" % ports["server"]])
    s.wait("redis-server syncs", lambda: s.syscall("server") in ("fsync", "fdatasync"))
    victim = s.start("victim", ["redis-cli", "-p", ports["server"], "GET", "stock"])
    s.wait("redis-cli waits", lambda: s.syscall("victim") in ("read", "recvfrom", "poll"))
    s.during("redis-server waits for the disk",
             lambda: s.syscall("server") in ("fsync", "fdatasync") and s.state("server") == "D")
    s.during("redis-cli waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the other redis-server writes",
             lambda: s.out(["redis-cli", "-p", ports["bystander"], "SET", "stock", "18"]) == "OK")
    s.hang(victim="victim", culprits=["server"], causes=["disk"], vague=["writer"], wrong=["bystander", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.ended("writer")
    s.check("the client has its answer", s.output("victim").strip() == "17")
