# SPDX-License-Identifier: GPL-2.0-or-later
"""sha256sum reads a file of an NTFS disk. The FUSE driver ntfs-3g waits for the disk, which has become very slow."""
import os

from scene import Missing, proc

HELD_OUT = True
NEEDS = {"ntfs-3g": "ntfs-3g", "mkntfs": "ntfs-3g", "losetup": "mount", "sha256sum": "coreutils"}
LIMIT = "/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device"
SIZE_MB = 24


def play(s):
    if not os.path.exists(LIMIT) or not os.path.exists("/dev/fuse"):
        raise Missing("no limits of block I/O by control groups of version 1, or no FUSE")
    with open(s.path("image"), "wb") as f:
        f.truncate(96 << 20)
    s.out(["mkntfs", "-q", "-F", "-f", "-T", s.path("image")])
    loop = s.out(["losetup", "-f", "--show", s.path("image")])
    s.callback(s.out, ["losetup", "-d", loop])
    with open("/sys/block/%s/dev" % os.path.basename(loop), encoding="ascii") as f:
        device = f.read().strip()

    def limit(bps):
        with open(LIMIT, "w", encoding="ascii") as f:
            f.write("%s %d" % (device, bps))

    s.callback(limit, 0)
    for name in "usb", "stick":
        os.mkdir(s.path(name))
    disk = s.path("usb")

    def mount():
        s.start("driver", ["ntfs-3g", "-o", "no_detach,noatime", loop, disk])
        s.wait("the disk is there", lambda: os.path.ismount(disk))

    s.callback(s.out, ["sh", "-c", "umount -l '%s' 2>/dev/null || :" % disk])
    mount()
    with open(s.path("usb/film.mkv"), "wb") as f:
        for i in range(SIZE_MB):
            f.write(bytes([i]) + os.urandom(1023) * 1024)
    with open(s.path("film.mkv"), "wb") as f:
        f.write(b"a local file\n")
    first = s.processes["driver"][0]
    s.out(["umount", disk])
    s.wait("the driver ends", lambda: first.poll() is not None)
    s.out(["sync", s.path("image")])
    s.out(["blockdev", "--flushbufs", loop])
    mount()
    s.check("the file is on the disk", os.path.getsize(s.path("usb/film.mkv")) > SIZE_MB << 19)
    s.check("the driver serves", proc(s.pid("driver"), "comm") == "ntfs-3g\n")

    limit(20000)
    s.begin()
    victim = s.start("victim", ["sha256sum", "usb/film.mkv"])
    s.wait("sha256sum waits for the driver", lambda: "fuse" in s.wchan("victim") or "folio" in s.wchan("victim"))
    s.wait("the driver waits for the disk", lambda: s.state("driver") == "D")
    began = s.cpu_s("driver")
    s.during("the driver waits for the disk", lambda: s.state("driver") == "D" and s.cpu_s("driver") - began < 0.3)
    s.during("sha256sum waits",
             lambda: victim.poll() is None and s.state("victim") in "SD" and s.output("victim") == "")
    s.during("another disk is fast", lambda: len(s.out(["sha256sum", "film.mkv"])) > 64)
    s.hang(victim="victim", culprits=["driver"], causes=["disk"], wrong=["test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("there is a checksum", "film.mkv" in s.output("victim"))
