# SPDX-License-Identifier: GPL-2.0-or-later
"""redis-cli GET waits for redis-server. The server waits in fsync for a slow disk, to log another client's write."""
import os

HELD_OUT = False
NEEDS = {"redis-server": "redis-server", "redis-cli": "redis-tools", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}


def play(s):
    disk, _, limit = s.slow_disk(128)
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
