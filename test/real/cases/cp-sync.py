# SPDX-License-Identifier: GPL-2.0-or-later
"""A script waits for sync, after it has copied photos to a slow disk, such as a USB stick. sync waits for the disk."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"cp": "coreutils", "sync": "coreutils", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
PHOTOS, SIZE = 16, 1 << 20
SCRIPT = """
cp -r photos "$1"/ || exit 1
echo copied
sync -f "$1" || exit 1
echo 'take the stick away'
"""


def play(s):
    disk, _, limit = s.slow_disk(64)
    os.mkdir(s.path("photos"))
    for i in range(PHOTOS):
        with open(s.path("photos/%d.jpg" % i), "wb") as f:
            f.write(os.urandom(SIZE))
    with open(s.path("save"), "w", encoding="ascii") as f:
        f.write(SCRIPT)
    with open(os.path.join(disk, "list"), "w", encoding="ascii") as f:
        f.write("photos\n")
    s.out(["sync", "-f", disk])
    s.start("bystander", ["tail", "-f", os.path.join(disk, "list")])
    limit(200 << 10)

    s.begin()
    victim = s.start("victim", ["sh", "save", disk])
    s.wait("the photos are copied", lambda: "copied" in s.output("victim"))
    s.wait("sync runs", lambda: s.child("victim", "sync"))
    s.role("sync", s.child("victim", "sync"))

    def waits():
        return s.state("sync") == "D" and proc(s.pid("sync"), "syscall").split()[0] == "306"  # syncfs

    s.wait("sync waits for the disk", waits)
    s.during("sync waits for the disk", waits)
    s.during("the script waits for sync", lambda: victim.poll() is None and s.syscall("victim") == "wait4" and
             s.child("victim") == s.pid("sync"))
    s.hang(victim="victim", culprits=["sync"], causes=["disk"], wrong=["bystander", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("the photos are saved", "take the stick away" in s.output("victim") and
            sum(os.path.getsize(os.path.join(disk, "photos", f)) for f in os.listdir(os.path.join(disk, "photos"))) ==
            PHOTOS * SIZE)
