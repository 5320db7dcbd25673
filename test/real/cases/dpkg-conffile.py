# SPDX-License-Identifier: GPL-2.0-or-later
"""A script waits for dpkg, which asks on the terminal whether to replace a changed configuration file. Nobody answers."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"dpkg": "dpkg", "dpkg-deb": "dpkg", "script": "bsdutils"}
UPGRADE = """#!/bin/sh
dpkg --root="$1" --force-not-root --force-script-chrootless --log=/dev/null -i stock_2.deb
echo upgraded
"""


def play(s):
    env = {**os.environ, "DEBIAN_FRONTEND": "", "LC_ALL": "C", "TERM": "dumb"}
    for n in "1", "2":
        tree = s.path("stock" + n)
        os.makedirs(os.path.join(tree, "DEBIAN"), 0o755)
        os.makedirs(os.path.join(tree, "etc"), 0o755)
        for name, text in (("DEBIAN/control", "Package: stock\nVersion: %s\nArchitecture: all\nMaintainer: a <a@localhost>\n"
                            "Description: a shop\n" % n),
                           ("DEBIAN/conffiles", "/etc/stock\n"), ("etc/stock", "version %s\n" % n)):
            with open(os.path.join(tree, name), "w", encoding="ascii") as f:
                f.write(text)
        s.out(["dpkg-deb", "-b", "--root-owner-group", tree, s.path("stock_%s.deb" % n)])
    for name in "root", "other":
        os.makedirs(s.path(name + "/var/lib/dpkg/info"))
        os.makedirs(s.path(name + "/var/lib/dpkg/updates"))
        for empty in "status", "available":
            with open(s.path(name + "/var/lib/dpkg/" + empty), "w", encoding="ascii"):
                pass
    dpkg = ["dpkg", "--root=" + s.path("root"), "--force-not-root", "--force-script-chrootless", "--log=/dev/null"]
    s.out([*dpkg, "-i", s.path("stock_1.deb")])
    with open(s.path("root/etc/stock"), "w", encoding="ascii") as f:
        f.write("changed by the user\n")
    with open(s.path("upgrade"), "w", encoding="ascii") as f:
        f.write(UPGRADE)
    s.start("bystander", ["script", "-qefc", "sh -i", "/dev/null"], talk=True, env=env)
    s.wait("there is a shell", lambda: s.child("bystander"))
    s.role("bystander-shell", s.child("bystander"))

    s.begin()
    s.start("terminal", ["script", "-qefc", "exec sh upgrade " + s.path("root"), "/dev/null"], talk=True, env=env)
    s.wait("dpkg asks", lambda: "default=N" in s.output("terminal"))
    s.role("victim", s.child("terminal"))
    s.role("dpkg", s.child("victim", "dpkg"))
    s.wait("dpkg waits", lambda: s.syscall("dpkg") == "read")
    s.during("dpkg waits for a line of its terminal", lambda: s.syscall("dpkg") == "read" and s.state("dpkg") == "S" and
             proc(s.pid("dpkg"), "syscall").split()[1] == "0x0" and
             os.readlink("/proc/%d/fd/0" % s.pid("dpkg")).startswith("/dev/pts/"))
    s.during("dpkg has the lock of its database",
             lambda: s.locks(s.path("root/var/lib/dpkg/lock"))["owners"] == [s.pid("dpkg")])
    s.during("the script waits for dpkg", lambda: s.syscall("victim") == "wait4" and s.child("victim") == s.pid("dpkg"))
    s.during("script, which is the terminal, is idle", lambda: s.state("terminal") == "S" and not s.uses_cpu("terminal", 0.05))
    # The test is the user. `terminal` only passes keys on.
    s.hang(victim="victim", culprits=["dpkg", "test"], causes=["external", "slow-peer"], vague=["terminal"],
           wrong=["bystander", "bystander-shell"])
    yield
    s.say("terminal", "n")
    s.ended("terminal")
    s.check("dpkg has the new version", "upgraded" in s.output("terminal") and
            "Version: 2" in s.out([*dpkg, "-s", "stock"]))
