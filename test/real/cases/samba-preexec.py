# SPDX-License-Identifier: GPL-2.0-or-later
"""smbclient waits for its smbd process, which waits for the preexec script of the share. The script waits for the lock
of the quota. Its owner, `rm -i`, asks an administrator whether it may remove a file."""
import os

from scene import proc

HELD_OUT = True
NEEDS = {"smbd": "samba", "smbclient": "smbclient", "flock": "util-linux", "bash": "bash"}
CONF = """[global]
workgroup = SHOP
server role = standalone server
map to guest = bad user
guest account = nobody
smb ports = %(port)s
interfaces = lo
bind interfaces only = yes
disable netbios = yes
disable spoolss = yes
load printers = no
log file = %(where)s/smbd.log
pid directory = %(where)s/run
lock directory = %(where)s/run
state directory = %(where)s/run
cache directory = %(where)s/run
private dir = %(where)s/run
ncalrpc dir = %(where)s/run/ncalrpc
[stock]
path = %(where)s/share
guest ok = yes
root preexec = %(where)s/quota.sh
[open]
path = %(where)s/share
guest ok = yes
"""
SCRIPT = """#!/bin/bash
exec 9< %(where)s/quota.lock
exec flock 9
"""


def play(s):
    port, lock = s.port(), s.path("quota.lock")
    for name in "run", "share", "run/ncalrpc":
        os.mkdir(s.path(name))
    for name, text in (("smb.conf", CONF), ("quota.sh", SCRIPT), ("quota.lock", ""), ("share/tea", "17\n"),
                       ("old", "old\n")):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text % {"where": s.where, "port": port} if name in ("smb.conf", "quota.sh") else text)
    os.chmod(s.path("quota.sh"), 0o755)
    s.start("smbd", ["smbd", "-F", "--no-process-group", "--debug-stdout", "-s", s.path("smb.conf")])
    s.wait("smbd listens", lambda: s.connects(port), 20)

    def client(share):
        return ["smbclient", "//127.0.0.1/" + share, "-p", port, "-s", s.path("smb.conf"), "-N", "-t100", "-c", "ls"]

    s.wait("smbd shows the share", lambda: "tea" in s.out(client("stock")), 20)
    s.start("cleaner", ["flock", lock, "rm", "-i", s.path("old")], talk=True)
    s.wait("rm asks", lambda: "remove" in s.output("cleaner"))
    s.role("rm", s.child("cleaner", "rm"))
    s.check("the cleaner has the lock", s.locks(lock)["owners"] == [s.pid("cleaner")])

    s.begin()
    victim = s.start("victim", client("stock"))
    s.wait("the script waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("script", s.locks(lock)["waiters"][0])
    parents = [s.pid("script")]
    while parents[-1] > 1 and not proc(parents[-1], "comm").startswith("smbd"):
        parents.append(int(proc(parents[-1], "status").split("PPid:\t")[1].split()[0]))
    s.role("worker", parents[-1])
    s.check("its parent is an smbd of the victim", "pid=%d," % s.pid("worker") in s.out(
        ["ss", "-tnpH", "state", "established", "sport = :" + port]))
    s.during("the script waits for the cleaner's lock", lambda: s.locks(lock) == {
        "owners": [s.pid("cleaner")], "waiters": [s.pid("script")]} and s.syscall("script") == "flock")
    s.during("rm waits for its answer", lambda: s.syscall("rm") == "read" and s.state("rm") == "S")
    s.during("the smbd process waits for the script", lambda: s.syscall("worker") in ("wait4", "waitid")
             and s.child("worker") in parents)
    s.during("another share works", lambda: "tea" in s.out(client("open"), timeout=8))
    s.during("smbclient waits", lambda: victim.poll() is None and s.state("victim") == "S"
             and s.output("victim") == "")
    s.hang(victim="victim", culprits=["rm", "cleaner", "test"], causes=["external", "lock-holder"],
           stuck=["worker", "script"], wrong=["smbd"])
    yield
    s.say("cleaner", "y")
    s.ended("cleaner")
    s.ended("victim")
    s.check("the list came", "tea" in s.output("victim"))
