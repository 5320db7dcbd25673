# SPDX-License-Identifier: GPL-2.0-or-later
"""rpm on a terminal waits for the lock of the package database. Another rpm owns it and waits for the script of its
package, which looks once a minute whether a font server is ready."""
import os
import signal

from scene import descendants, proc

HELD_OUT = True
NEEDS = {"rpm": "rpm", "rpmbuild": "rpm", "script": "bsdutils"}
SPEC = """
Name: %(name)s
Version: 1
Release: 1
Summary: a package
License: GPL
BuildArch: noarch
%%description
A package.
%%post
%(post)s
%%files
"""


def play(s):
    for name in "db", "other", "build":
        os.mkdir(s.path(name))
    ready = s.path("fontserver.sock")
    post = "until test -e %s; do sleep 60; done" % ready
    for name, script in ("fonts", post), ("shop", "echo good"), ("tools", "echo good"):
        with open(s.path(name + ".spec"), "w", encoding="ascii") as f:
            f.write(SPEC % {"name": name, "post": script})
        s.out(["rpmbuild", "-bb", "--quiet", "--define", "_topdir " + s.path("build"), "--define",
               "_tmppath " + s.where, "--define", "_rpmdir " + s.where, "--nodeps", name + ".spec"])

    def install(name, base="db"):
        """The rpm of Debian needs --force-debian."""
        return ["rpm", "--force-debian", "--nodeps", "--dbpath", s.path(base), "-i",
                s.path("noarch/%s-1-1.noarch.rpm" % name)]

    for base in "db", "other":
        s.out(install("tools", base))
    lock = s.path("db/.rpm.lock")
    first = s.start("first", install("fonts"))
    s.wait("the script sleeps", lambda: [p for p in descendants(first.pid) if proc(p, "comm") == "sleep\n"])
    s.role("script", s.child("first"))
    s.role("sleeper", s.child("script", "sleep"))
    s.check("the first rpm has the lock", s.locks(lock)["owners"] == [first.pid])

    s.begin()
    s.start("terminal", ["script", "-q", "-e", "-c", " ".join(install("shop")), "/dev/null"])
    s.wait("the second rpm waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    victim = s.role("victim", s.locks(lock)["waiters"][0])
    s.check("it is below script", victim in descendants(s.pid("terminal")) and proc(victim, "comm") == "rpm\n")
    s.during("the first rpm has the lock for which the second waits",
             lambda: s.locks(lock) == {"owners": [first.pid], "waiters": [victim]} and s.syscall("victim") == "fcntl")
    s.during("the first rpm waits for the script",
             lambda: s.child("first") == s.pid("script") and s.state("first") == "S")
    s.during("the script sleeps", lambda: s.child("script", "sleep") == s.pid("sleeper") and
             s.syscall("script") == "wait4" and s.syscall("sleeper") == "clock_nanosleep")
    s.during("rpm works with another database", lambda: "tools" in s.out(["rpm", "--dbpath", s.path("other"), "-qa"]))
    s.hang(victim="victim", culprits=["script", "sleeper"], causes=["timer", "polling"], vague=["first"],
           wrong=["terminal", "test"])
    yield
    with open(ready, "w", encoding="ascii"):
        pass
    os.kill(s.pid("sleeper"), signal.SIGTERM)
    s.ended("terminal")
    s.check("both packages are there", {"fonts-1-1.noarch", "shop-1-1.noarch"} <= set(
        s.out(["rpm", "--dbpath", s.path("db"), "-qa"]).split()))
