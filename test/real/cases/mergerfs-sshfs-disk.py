# SPDX-License-Identifier: GPL-2.0-or-later
"""cksum reads a file of a mergerfs pool. The file is on a branch that sshfs has mounted, so mergerfs waits for sshfs. sshfs
waits for sftp-server, which waits for a slow disk."""
import os
import subprocess
import time

from scene import Missing, children, proc

HELD_OUT = True
NEEDS = {"mergerfs": "mergerfs", "sshfs": "sshfs", "socat": "socat", "ss": "iproute2", "losetup": "mount",
         "mkfs.ext2": "e2fsprogs"}
SFTP = "/usr/lib/openssh/sftp-server"


def play(s):
    if not os.path.exists(SFTP):
        raise Missing("no sftp-server here (package openssh-sftp-server)")
    disk, _, limit = s.slow_disk(64, "read")
    port = s.port()
    for name in "near", "far", "pool":
        os.mkdir(s.path(name))
    with open(os.path.join(disk, "photo"), "wb") as f:
        f.write(os.urandom(8 << 20))
    with open(s.path("near/hours"), "w", encoding="ascii") as f:
        f.write("open\n")
    for name in "far", "pool":
        s.callback(subprocess.run, ["umount", "-l", s.path(name)], stderr=subprocess.DEVNULL, check=False)
    s.start("socat", ["socat", "TCP-LISTEN:%s,bind=127.0.0.1,reuseaddr" % port, "EXEC:" + SFTP])
    s.wait("socat listens", lambda: s.out(["ss", "-tlnH", "sport = :" + port]))
    s.start("sshfs", ["sshfs", "-f", "-o", "directport=" + port, "127.0.0.1:" + disk, s.path("far")])
    s.wait("sshfs has mounted", lambda: os.path.ismount(s.path("far")))
    s.start("mergerfs", ["mergerfs", "-f", "-o", "cache.files=off", "%s:%s" % (s.path("near"), s.path("far")), s.path("pool")])
    s.wait("mergerfs has mounted", lambda: os.path.ismount(s.path("pool")))
    photo = s.path("pool/photo")
    s.check("the file is in the pool", os.path.getsize(photo) == 8 << 20)
    s.role("sftp", children(s.pid("socat"))[0])
    s.check("socat has started sftp-server", proc(s.pid("sftp"), "comm") == "sftp-server\n")
    s.out(["sync", "-f", disk])
    with open(os.path.join(disk, "photo"), "rb") as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    limit(60 << 10)

    def waits_for_disk():
        """Looks many times. Returns whether sftp-server waited for the disk in most of these looks."""
        looks = []
        for _ in range(30):
            looks.append(s.state("sftp") == "D")
            time.sleep(0.01)
        return sum(looks) > 15

    s.begin()
    victim = s.start("victim", ["cksum", photo])
    s.wait("sftp-server waits for the disk", waits_for_disk)
    s.during("sftp-server waits for the disk", waits_for_disk)
    s.during("cksum waits for the file", lambda: victim.poll() is None and s.state("victim") in "SD" and
             s.syscall("victim") == "read")
    s.during("another file of the pool is there", lambda: s.out(["cat", s.path("pool/hours")], timeout=8) == "open")
    s.hang(victim="victim", culprits=["sftp"], causes=["disk"], vague=["socat", "sshfs", "mergerfs"], wrong=["test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("the sum is right", s.output("victim").split()[:2] == s.out(["cksum", os.path.join(disk, "photo")]).split()[:2])
