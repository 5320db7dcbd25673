# SPDX-License-Identifier: GPL-2.0-or-later
"""wget waits for a FastCGI program of lighttpd, which tries again and again to write to a SQLite database. An idle
program has locked the database (BEGIN EXCLUSIVE)."""
import os
import subprocess

from scene import Missing, proc

HELD_OUT = False
NEEDS = {"lighttpd": "lighttpd", "wget": "wget", "perl": "perl", "python3": "python3"}

APP = """#!/usr/bin/perl
use FCGI;
use DBI;
my $base = DBI->connect("dbi:SQLite:dbname=%(base)s", "", "", { RaiseError => 1, AutoCommit => 1 });
$base->sqlite_busy_timeout(60000);
my $request = FCGI::Request();
while ($request->Accept() >= 0) {
    $base->do("update stock set n = n - 1") if $ENV{REQUEST_URI} =~ /sell/;
    print "Content-Type: text/plain\\r\\n\\r\\nsold\\n";
}
"""
CONFIG = """
server.modules = ("mod_fastcgi")
server.document-root = "%(w)s"
server.bind = "127.0.0.1"
server.port = %(port)s
server.errorlog = "%(w)s/errors"
fastcgi.server = ("/" => (("socket" => "%(w)s/fcgi.sock", "bin-path" => "%(w)s/app.pl", "max-procs" => 1,
    "check-local" => "disable")))
"""
HOLDER = """
import sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("begin exclusive")
print("locked", flush=True)
sys.stdin.readline()
base.execute("commit")
"""


def play(s):
    if subprocess.run(["perl", "-MFCGI", "-MDBD::SQLite", "-e", "1"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the packages libfcgi-perl and libdbd-sqlite3-perl")
    port, base, other = s.port(), s.path("shop.db"), s.path("other.db")
    facts = {"w": s.where, "port": port, "base": base}
    for name, text in ("app.pl", APP % facts), ("conf", CONFIG % facts), ("holder.py", HOLDER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("app.pl"), 0o755)
    for path in base, other:
        s.out(["/usr/bin/python3", "-c", "import sqlite3, sys; b = sqlite3.connect(sys.argv[1]); "
               "b.execute('create table stock (n int)'); b.execute('insert into stock values (10)'); b.commit()", path])

    s.start("lighttpd", ["lighttpd", "-D", "-f", s.path("conf")])
    page = ["wget", "-q", "-O", "-", "--tries=1", "http://127.0.0.1:%s/" % port]
    s.wait("lighttpd answers", lambda: s.connects(port))
    s.check("the program answers", s.out(page) == "sold")
    s.role("app", next(pid for pid in s.living() if proc(pid, "comm") == "app.pl\n"))
    for name, path in ("holder", base), ("bystander", other):
        s.start(name, ["/usr/bin/python3", "holder.py", path], talk=True)
        s.wait("%s has its lock" % name, lambda name=name, path=path: s.output(name) == "locked\n" and
               s.pid(name) in s.locks(path)["owners"])

    s.begin()
    victim = s.start("victim", page[:-1] + [page[-1] + "sell"])
    s.wait("the program sleeps between two tries", lambda: s.syscall("app") in ("nanosleep", "clock_nanosleep"))
    s.during("the holder has the lock, and nobody else", lambda: set(s.locks(base)["owners"]) == {s.pid("holder")})
    s.during("the holder waits for input", lambda: s.syscall("holder") == "read" and s.state("holder") == "S")
    s.during("wget waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")

    def tries():
        s.wait("the program sleeps between two tries", lambda: s.syscall("app") in ("nanosleep", "clock_nanosleep"), 2)
        return s.state("app") in "SR"

    s.during("the program tries again and again", tries)
    s.hang(victim="victim", culprits=["holder", "test"], causes=["lock-holder", "external"], vague=["app"], stuck=["lighttpd"],
           wrong=["bystander"])
    yield
    s.say("holder", "done")
    s.ended("victim")
    s.check("the stock is sold", s.output("victim") == "sold\n")
