# SPDX-License-Identifier: GPL-2.0-or-later
"""cksum reads a file of httpfs2, a FUSE file system. httpfs2 waits for webfsd, a web server, whose control group
(version 1) is frozen. A second file system with a second webfsd works."""
import os
import subprocess
import time

from lib import in_cgroup
from scene import Missing, proc

HELD_OUT = False
NEEDS = {"httpfs2": "httpfs2", "webfsd": "webfs", "cksum": "coreutils", "ss": "iproute2"}
KB = 3000


def play(s):
    group = "/sys/fs/cgroup/freezer/ctrace-test-httpfs2"
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no freezer of version 1 here: %s" % e) from None
    state = os.path.join(group, "freezer.state")

    def freeze(to):
        with open(state, "w", encoding="ascii") as f:
            f.write(to)

    def frozen():
        with open(state, encoding="ascii") as f:
            return f.read() == "FROZEN\n"

    def leave():
        freeze("THAWED")
        for _ in range(100):  # after SIGKILL, a frozen program ends when it is thawed
            try:
                os.rmdir(group)
                return
            except OSError:
                time.sleep(0.1)

    s.callback(leave)
    with open(s.path("photo"), "wb") as f:
        f.write(b"parcel" + os.urandom((KB << 10) - 6))
    ports = {"web": s.port(), "other_web": s.port()}
    for name, port in ports.items():
        where = s.path(name + ".dir")
        os.mkdir(where)
        cmd = ["webfsd", "-F", "-i", "127.0.0.1", "-p", port, "-r", s.where]
        s.start(name, in_cgroup(group, cmd) if name == "web" else cmd)
        s.wait("webfsd listens", lambda port=port: s.connects(port))
        fuse = name.replace("web", "httpfs")
        s.callback(subprocess.run, ["umount", "-l", where], stderr=subprocess.DEVNULL, check=False)
        s.start(fuse, ["httpfs2", "-f", "http://127.0.0.1:%s/photo" % port, where])
        s.wait("the file is there", lambda where=where: os.path.getsize(os.path.join(where, "photo")) == KB << 10)
    files = {name: os.path.join(s.path(name + ".dir"), "photo") for name in ports}

    def unread():
        """The bytes that the frozen webfsd has not read."""
        return sum(int(line.split()[0]) for line in
                   s.out(["ss", "-tnH", "state", "established", "sport = :" + ports["web"]]).splitlines())

    s.begin()
    freeze("FROZEN")
    try:
        s.wait("the group is frozen", frozen)
        victim = s.start("victim", ["cksum", files["web"]])
        s.wait("webfsd has a question", lambda: unread() > 0)
        s.during("the group of webfsd is frozen", lambda: frozen() and
                 "/ctrace-test-httpfs2\n" in proc(s.pid("web"), "cgroup"))
        s.during("webfsd has not read its question", lambda: unread() > 0 and not s.uses_cpu("web", 0.01, 0.2))
        s.during("cksum waits for httpfs2", lambda: victim.poll() is None and ("fuse" in s.wchan("victim") or
                                                                                      s.state("victim") == "D"))
        s.during("the other file is there", lambda: s.out(["head", "-c", "6", files["other_web"]], timeout=10) == "parcel")
        s.hang(victim="victim", culprits=["web", "test"], causes=["stopped"], vague=["httpfs"],
               wrong=["other_web", "other_httpfs"])
        yield
    finally:
        freeze("THAWED")
    s.ended("victim")
    s.check("the sum is right", s.output("victim").split()[:2] == s.out(["cksum", s.path("photo")]).split()[:2])
