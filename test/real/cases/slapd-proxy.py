# SPDX-License-Identifier: GPL-2.0-or-later
"""ldapsearch waits for a slapd, which asks a second slapd. The control group of the second slapd is frozen."""
import contextlib
import os

from lib import cgroup2, in_cgroup
from scene import Missing, proc

HELD_OUT = False
NEEDS = {"slapd": "slapd", "ldapsearch": "ldap-utils", "slapadd": "slapd"}

COMMON = """
include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload back_ldap
pidfile %(dir)s/pid
threads 4
"""
STORE = COMMON + """
database mdb
suffix "%(suffix)s"
directory %(dir)s
maxsize 10000000
"""
FRONT = COMMON + """
database ldap
suffix "o=shop"
uri "ldap://127.0.0.1:%(shop)s"
database ldap
suffix "o=bank"
uri "ldap://127.0.0.1:%(bank)s"
"""


def play(s):
    group = os.path.join(cgroup2() or "/", "ctrace-test-slapd-proxy")
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no control group of version 2 can be made here: %s" % e) from None
    s.callback(os.rmdir, group)
    ports = {name: s.port() for name in ("shop", "bank", "front")}

    def freeze(on):
        with open(os.path.join(group, "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write(str(int(on)))

    def frozen():
        """Whether every task of the control group is frozen: the kernel then shows "frozen 1"."""
        with open(os.path.join(group, "cgroup.events"), encoding="ascii") as f:
            return "frozen 1" in f.read()

    def search(name, suffix):
        return ["ldapsearch", "-x", "-LLL", "-H", "ldap://127.0.0.1:" + ports[name], "-b", suffix, "(o=*)", "o"]

    for name in ports:
        os.mkdir(s.path(name))
        conf = os.path.join(s.path(name), "conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write((FRONT if name == "front" else STORE) % {"dir": s.path(name), "suffix": "o=" + name, **ports})
        if name != "front":
            with open(s.path(name + ".ldif"), "w", encoding="ascii") as f:
                f.write("dn: o=%s\nobjectClass: organization\no: %s\n" % (name, name))
            s.out(["slapadd", "-q", "-f", conf, "-l", s.path(name + ".ldif")])
        cmd = ["/usr/sbin/slapd", "-d", "0", "-f", conf, "-h", "ldap://127.0.0.1:" + ports[name]]
        s.start(name, in_cgroup(group, cmd) if name == "shop" else cmd)
        s.wait("%s answers" % name, lambda name=name: s.connects(ports[name]))
    for suffix in "o=shop", "o=bank":
        s.check("the first slapd passes questions on", suffix in s.out(search("front", suffix)))

    s.begin()
    freeze(True)
    s.wait("the group is frozen", frozen)
    try:
        victim = s.start("victim", search("front", "o=shop"))

        def unread():
            return sum(int(line.split()[0]) for line in
                       s.out(["ss", "-tnH", "state", "established", "sport = :" + ports["shop"]]).splitlines())

        s.wait("the second slapd has a question", lambda: unread() > 0)
        s.during("the second slapd is in the group, and the group is frozen",
                 lambda: frozen() and "/ctrace-test-slapd-proxy\n" in proc(s.pid("shop"), "cgroup"))
        s.during("it has not read its question", lambda: unread() > 0)
        s.during("ldapsearch waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
        s.during("the first slapd and the third one answer",
                 lambda: "o=bank" in s.out(search("front", "o=bank"), timeout=5))
        s.hang(victim="victim", culprits=["shop", "test"], causes=["stopped"], vague=["front"], wrong=["bank"])
        yield
    finally:
        with contextlib.suppress(OSError):
            freeze(False)
    s.ended("victim")
    s.check("ldapsearch has the entry", "dn: o=shop" in s.output("victim"))
