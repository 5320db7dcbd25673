# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a lighttpd. A Lua script of its mod_magnet writes a line of audit into a FIFO, which is full: the
gawk that reads it waits for a command that it has started, a sleep."""
import os
import stat
import time

from scene import Missing, proc

HELD_OUT = True
NEEDS = {"lighttpd": "lighttpd", "curl": "curl", "gawk": "gawk"}
MAGNET = "/usr/lib/lighttpd/mod_magnet.so"

CONFIG = """
server.modules = ("mod_magnet")
server.document-root = "{where}/www"
server.bind = "127.0.0.1"
server.port = {port}
index-file.names = ("index.html")
magnet.attract-raw-url-to = ("{where}/audit.lua")
"""
AUDIT = """
local log = assert(io.open("%s", "a"))
log:write(lighty.env["request.uri"], " ", string.rep("-", 3000), "\\n")
log:close()
"""
ALERT = '/admin/ { print "alert"; fflush(); system("exec sleep 3000"); print "went on"; fflush() }'


def play(s):
    if not os.path.exists(MAGNET):
        raise Missing("no mod_magnet here (package lighttpd-modules-lua)")
    port = s.port()
    os.mkdir(s.path("www"))
    for name in "audit", "other":
        os.mkfifo(s.path(name))
    config, audit = CONFIG.format(where=s.where, port=port), AUDIT % s.path("audit")
    for name, text in (("lighttpd.conf", config), ("audit.lua", audit), ("www/index.html", "welcome\n"),
                       ("alert.awk", ALERT)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    # The shell opens the FIFO for both directions, so that gawk sees no end of it.
    for name, fifo in ("gawk", "audit"), ("bystander", "other"):
        s.start(name, ["sh", "-c", "exec gawk -f alert.awk <>%s" % fifo])
    s.start("lighttpd", ["lighttpd", "-D", "-f", "lighttpd.conf"])
    s.wait("lighttpd listens", lambda: s.connects(port))
    url = "http://127.0.0.1:%s/" % port
    s.check("lighttpd serves", s.out(["curl", "-s", url]) == "welcome")
    with open(s.path("other"), "w", encoding="ascii") as f:
        f.write("/admin of another site\n")
    s.out(["curl", "-s", url + "?admin"])
    for name, sleeper in ("gawk", "sleep"), ("bystander", "sleep2"):
        s.wait("%s sleeps" % name, lambda name=name: s.child(name, "sleep"))
        s.role(sleeper, s.child(name, "sleep"))

    for _ in range(40):
        s.begin()
        victim = s.start("victim", ["curl", "-s", url])
        end = time.monotonic() + 1
        while victim.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        if victim.poll() is None:
            break
    s.check("curl waits", victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")

    def writes():
        number, fd = (int(x, 0) for x in proc(s.pid("lighttpd"), "syscall").split()[:2])
        there = os.stat("/proc/%d/fd/%d" % (s.pid("lighttpd"), fd))
        return number == 1 and stat.S_ISFIFO(there.st_mode) and there.st_ino == os.stat(s.path("audit")).st_ino

    s.during("lighttpd sleeps in a write to the FIFO", lambda: writes() and s.state("lighttpd") == "S")
    s.during("gawk waits for its sleep", lambda: s.syscall("gawk") == "wait4" and s.child("gawk") == s.pid("sleep"))
    s.during("the sleep sleeps", lambda: s.syscall("sleep") == "clock_nanosleep" and s.output("gawk") == "alert\n")
    s.during("curl waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["sleep"], causes=["timer"], vague=["gawk"], stuck=["lighttpd"],
           wrong=["bystander", "sleep2", "test"])
    yield
    s.out(["kill", s.pid("sleep")])
    s.ended("victim")
    s.check("curl has the page, and gawk went on", s.output("victim") == "welcome\n" and "went on" in s.output("gawk"))
