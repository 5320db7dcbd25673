# SPDX-License-Identifier: GPL-2.0-or-later
"""autoconf waits for the lock of autom4te.cache. Another autoconf owns the lock: its m4 waits for the script that
finds the version of the project, and the script computes without end, because the change log has no entry for a
release."""
import os
import signal

from scene import descendants, proc

HELD_OUT = True
NEEDS = {"autoconf": "autoconf", "m4": "m4", "perl": "perl"}
CONFIGURE = """AC_INIT([shop], m4_esyscmd_s([perl %s/version.pl]))
AC_OUTPUT
"""
# Steps back through the entries until one is a release. With no release, it begins again.
VERSION = """
$SIG{TERM} = sub { print "1.0-unknown\\n"; exit 0 };
open(my $log, '<', "%s") or die;
my @entries = <$log>;
for (my $i = $#entries; ; $i = $i > 0 ? $i - 1 : $#entries) {
    if ($entries[$i] =~ /^release (\\S+)/) { print "$1\\n"; exit 0 }
}
"""


def play(s):
    for name in "shop", "other":
        os.mkdir(s.path(name))
        with open(s.path(name + "/configure.ac"), "w", encoding="ascii") as f:
            f.write(CONFIGURE % s.path(name))
        with open(s.path(name + "/version.pl"), "w", encoding="ascii") as f:
            f.write(VERSION % s.path(name + "/changes"))
        with open(s.path(name + "/changes"), "w", encoding="ascii") as f:
            f.write("release 1.0\n" + "fix a bug\n" * 50)
        s.out(["sh", "-c", "cd %s && autoconf" % name])
        s.check("autoconf works", os.path.exists(s.path(name + "/configure")))
    lock = s.path("shop/autom4te.cache/requests")
    with open(s.path("shop/changes"), "w", encoding="ascii") as f:
        f.write("fix a bug\n" * 50)

    first = s.start("first", ["autoconf", "--force"], cwd=s.path("shop"))
    # autoconf is a shell script that starts autom4te, a perl script, with exec

    def script():
        return [p for p in descendants(first.pid)
                if "version.pl" in proc(p, "cmdline") and proc(p, "comm") == "perl\n"][0]

    s.wait("the script runs", script)
    s.role("script", script())
    s.role("m4", next(p for p in descendants(first.pid) if proc(p, "comm") == "m4\n"))
    s.check("the first autoconf has the lock", s.locks(lock)["owners"] == [first.pid])

    began = s.cpu_s("script")
    s.wait("the script computes", lambda: s.cpu_s("script") - began > 0.1)

    s.begin()
    victim = s.start("victim", ["autoconf", "--force"], cwd=s.path("shop"))
    s.wait("the second one waits for the lock", lambda: s.locks(lock)["waiters"] == [victim.pid])
    s.during("autoconf waits for the lock of the first one",
             lambda: s.locks(lock) == {"owners": [first.pid], "waiters": [victim.pid]} and victim.poll() is None)
    s.during("the script computes", lambda: s.state("script") == "R" and s.cpu_s("script") - began > 0.1)
    s.during("the first one and its m4 wait", lambda: s.state("first") == s.state("m4") == "S")
    s.during("another project can be configured", lambda: s.out(["sh", "-c", "cd other && autoconf"], timeout=20) == "")
    s.hang(victim="victim", culprits=["script"], causes=["busy"], vague=["m4", "first"], wrong=["test"])
    yield
    with open(s.path("shop/changes"), "w", encoding="ascii") as f:
        f.write("release 1.1\n")
    os.kill(s.pid("script"), signal.SIGTERM)
    s.ended("victim")
    s.check("there is a configure script", os.path.exists(s.path("shop/configure")))
