# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a short page, and nobody accepts its connection. nginx's only worker reads a photo for another client
from a slow disk."""
import os
import subprocess
import time

from scene import Missing

HELD_OUT = False
NEEDS = {"nginx": "nginx", "curl": "curl", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
LIMIT = "/sys/fs/cgroup/blkio/blkio.throttle.read_bps_device"  # of the root group, for one device
LIMIT_BPS = 100 << 10
PHOTO = 8 << 20


def play(s):
    if not os.path.exists(LIMIT):
        raise Missing("no limits of block I/O by control groups of version 1")
    image, disk, ports = s.path("image"), s.path("disk"), (s.port(), s.port())
    with open(image, "wb") as f:
        f.truncate(32 << 20)
    s.out(["mkfs.ext2", "-q", "-F", image])
    loop = s.out(["losetup", "-f", "--show", image])
    s.callback(s.out, ["losetup", "-d", loop])
    os.mkdir(disk)

    def leave():
        for _ in range(100):  # after SIGKILL, a program may still read for a moment
            if subprocess.run(["umount", disk], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                return
            time.sleep(0.1)
        s.out(["umount", "-l", disk])

    s.out(["mount", loop, disk])
    with open(os.path.join(disk, "photo"), "wb") as f:
        f.write(os.urandom(PHOTO))
    s.out(["umount", disk])  # forgets the cached pages of the photo
    s.out(["mount", "-o", "noatime", loop, disk])
    s.callback(leave)
    os.stat(os.path.join(disk, "photo"))
    with open("/sys/block/%s/dev" % os.path.basename(loop), encoding="ascii") as f:
        device = f.read().strip()

    def limit(bps):
        with open(LIMIT, "w", encoding="ascii") as f:
            f.write("%s %d" % (device, bps))

    s.callback(limit, 0)
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    for name, port in ("nginx", ports[0]), ("bystander", ports[1]):
        with open(s.path(name + ".conf"), "w", encoding="utf-8") as f:
            f.write("user root; worker_processes 1; daemon off; pid %s.pid; events {}\n"
                    "http { access_log off; sendfile off; %s "
                    "server { listen 127.0.0.1:%s; root %s; location = /hours { return 200 open; } } }\n"
                    % (s.path(name), temp, port, disk))
        s.start(name, ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path(name + ".conf")])
        s.wait("%s answers" % name, lambda port=port: s.connects(port))
    s.role("worker", s.child("nginx"))
    s.role("bystander_worker", s.child("bystander"))
    hours = [["curl", "-s", "http://127.0.0.1:%s/hours" % port] for port in ports]
    s.check("the page comes", s.out(hours[0]) == "open")

    limit(LIMIT_BPS)
    s.start("viewer", ["curl", "-s", "-o", s.path("seen"), "http://127.0.0.1:%s/photo" % ports[0]])
    s.wait("the worker waits for the disk", lambda: s.state("worker") == "D")

    s.begin()
    victim = s.start("victim", hours[0])

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + ports[0]]).split()[1])

    def waits_for_disk():
        """Looks at the worker 20 times. Returns whether the worker waited for the disk in more than 10 of these
        looks."""
        seen = 0
        for _ in range(20):
            seen += s.state("worker") == "D" and s.syscall("worker") in ("17", "read")  # 17: pread64
            time.sleep(0.01)
        return seen > 10

    s.wait("the victim is not accepted", lambda: unaccepted() == 1)
    s.during("the victim is not accepted", lambda: victim.poll() is None and unaccepted() == 1)
    s.during("the worker waits for the disk", waits_for_disk)
    s.during("the photo is on its way", lambda: os.path.getsize(s.path("seen")) < PHOTO)
    s.during("the other nginx answers", lambda: s.out(hours[1], timeout=5) == "open")
    s.hang(victim="victim", culprits=["worker"], causes=["disk"],
           wrong=["nginx", "viewer", "bystander", "bystander_worker", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.ended("viewer")
    s.check("the page and the photo came", s.output("victim") == "open" and os.path.getsize(s.path("seen")) == PHOTO)
