# SPDX-License-Identifier: GPL-2.0-or-later
"""tar lists a backup that restic restores. restic waits for its sftp-server, which reads the backup from a slow disk."""
import glob
import os
import time

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"restic": "restic", "/usr/lib/openssh/sftp-server": "openssh-sftp-server", "tar": "tar", "losetup": "mount",
         "mkfs.ext2": "e2fsprogs"}
MB = 4


def play(s):
    disk, loop, limit = s.slow_disk(48, "read")
    os.mkdir(s.path("photos"))
    with open(s.path("photos/photo"), "wb") as f:
        f.write(os.urandom(MB << 20))
    with open(s.path("password"), "w", encoding="ascii") as f:
        f.write("secret\n")
    restic = "restic -q -r sftp:backup:%s -p %s --no-cache -o sftp.command=%s" % (
        os.path.join(disk, "backup"), s.path("password"), "/usr/lib/openssh/sftp-server")
    env = {**os.environ, "HOME": s.where, "TMPDIR": s.where}
    for command in "init", "backup photos":
        s.out(["env", "HOME=" + s.where, *restic.split(), *command.split()])
    pack = max(glob.glob(os.path.join(disk, "backup/data/*/*")), key=os.path.getsize)
    s.check("the photo is in one file", os.path.getsize(pack) > MB << 20)
    for command in ["umount", disk], ["mount", loop, disk]:  # drops the cached pages
        s.out(command)
    s.start("decoy", ["sh", "-c", "while :; do head -c 100000 photos/photo | gzip >/dev/null; done"])
    limit(800 << 10)

    def reads():
        return [p for p in descendants(s.pid("pipeline")) if proc(p, "comm") == "sftp-server\n" and
                pack in map(os.readlink, glob.glob("/proc/%d/fd/*" % p))]

    s.start("pipeline", ["sh", "-c", restic + " dump latest /photos | tar -tf -; echo done"], env=env)
    s.wait("sftp-server reads the backup", reads, 25)
    s.role("sftp", reads()[0])
    s.role("victim", s.child("pipeline", "tar"))
    s.role("restic", s.child("pipeline", "restic"))
    limit(60 << 10)
    s.begin()

    def waits_for_disk():
        """Looks at sftp-server many times. Returns whether it waited for the disk in most of these looks."""
        looks = []
        for _ in range(40):
            looks.append(s.state("sftp") == "D")
            time.sleep(0.01)
        return sum(looks) > 20

    s.wait("it waits for the disk", waits_for_disk)
    s.during("sftp-server waits for the disk", lambda: waits_for_disk() and s.pid("sftp") in reads())
    s.during("tar waits for restic", lambda: s.syscall("victim") == "read" and "pipe" in s.wchan("victim"))
    s.during("restic does not compute", lambda: s.state("restic") == "S" and not s.uses_cpu("restic", 0.3))
    s.hang(victim="victim", culprits=["sftp"], causes=["disk"], vague=["restic"], wrong=["decoy", "pipeline", "test"])
    yield
    limit(0)
    s.went_on("tar has its list", lambda: "done" in s.output("pipeline"))
    s.check("the photo came", "photos/photo" in s.output("pipeline"))
