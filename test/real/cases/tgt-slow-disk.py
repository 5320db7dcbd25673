# SPDX-License-Identifier: GPL-2.0-or-later
"""qemu-img copies a disk of iSCSI. tgtd serves this disk from a file on a real disk, which is very slow: it may read
1 kB a second."""
import os

from scene import Invalid, proc

HELD_OUT = False
NEEDS = {"tgtd": "tgt", "tgtadm": "tgt", "qemu-img": "qemu-utils"}
SIZE = 8 << 20
IQN = "iqn.2026-12.org.example:"


def play(s):
    port = s.port()
    control = str(os.getpid() % 10000 + 100)
    disk, _, limit = s.slow_disk(64, "read")
    for name in disk + "/backup", s.path("other"):
        with open(name, "wb") as f:
            f.write(b"parcels!" * (SIZE // 8))
            os.fsync(f.fileno())
    os.makedirs("/run/tgtd", exist_ok=True)
    s.callback(s.out, ["rm", "-f", "/run/tgtd/socket." + control, "/run/tgtd/socket.%s.lock" % control])
    s.start("tgtd", ["tgtd", "-f", "-C", control, "--iscsi", "portal=127.0.0.1:" + port])

    def admin(*args):
        try:
            return s.out(["tgtadm", "-C", control, "--lld", "iscsi", "--op", *args])
        except Invalid as e:
            raise ValueError(e) from None

    s.wait("tgtd answers", lambda: "iscsi: ready" in admin("show", "--mode", "sys"))
    for tid, name, path in ("1", "backup", disk + "/backup"), ("2", "other", s.path("other")):
        admin("new", "--mode", "target", "--tid", tid, "-T", IQN + name)
        admin("new", "--mode", "logicalunit", "--tid", tid, "--lun", "1", "-b", path)
        admin("bind", "--mode", "target", "--tid", tid, "-I", "ALL")

    def copy(name):
        return ["qemu-img", "convert", "-f", "raw", "-O", "raw", "iscsi://127.0.0.1:%s/%s%s/1" % (port, IQN, name),
                s.path(name + ".copy")]

    s.out(copy("other"))
    s.check("the other disk comes", os.path.getsize(s.path("other.copy")) == SIZE)
    with open(disk + "/backup", "rb") as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # nothing of it stays in memory
    limit(1024)

    s.begin()
    victim = s.start("victim", copy("backup"))

    def reads():
        """Threads of tgtd that wait for the disk in a read."""
        return [t for t in s.threads("tgtd") if proc(s.pid("tgtd"), "stat", t).rpartition(")")[2].split()[0] == "D" and
                proc(s.pid("tgtd"), "syscall", t).split()[0] in ("0", "17")]

    s.wait("tgtd waits for the disk", reads)
    s.wait("the victim waits", lambda: s.state("victim") == "S")
    s.during("tgtd waits for the disk", reads)
    s.during("tgtd works for others", lambda: "Target 1" in admin("show", "--mode", "target"))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["tgtd"], causes=["disk"])
    yield
    limit(0)
    s.ended("victim")
    with open(s.path("backup.copy"), "rb") as f:
        s.check("the copy is complete", f.read() == b"parcels!" * (SIZE // 8))
