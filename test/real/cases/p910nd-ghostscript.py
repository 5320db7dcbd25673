# SPDX-License-Identifier: GPL-2.0-or-later
"""nc cannot send its print job: p910nd waits until the pipe to the printer has room. The printer is ghostscript, which
computes in a loop of the job before."""
import os

from scene import proc

HELD_OUT = True
NEEDS = {"p910nd": "p910nd", "gs": "ghostscript", "nc": "netcat-openbsd", "unshare": "util-linux",
         "nsenter": "util-linux", "ip": "iproute2", "mount": "mount"}
SPOOL = "while :; do gs -q -dNOSAFER -dBATCH -dNOPAUSE -sDEVICE=nullpage -f %s; done"
START = """ip link set lo up && mount -t tmpfs none /run && mkdir -p /run/lock/p910nd &&
exec p910nd -d -i 127.0.0.1 -f %s 0"""
LOOP = """%%!PS
{ 20000 { 37.5 sin 2 exp pop } repeat (%s) status { pop pop pop pop exit } if } loop
showpage
"""
LINES = 200000


def play(s):
    device, enough = s.path("printer"), s.path("enough")
    os.mkfifo(device)
    with open(s.path("small.ps"), "w", encoding="ascii") as f:
        f.write("%!PS\nshowpage\n")
    with open(s.path("poster.ps"), "w", encoding="ascii") as f:
        f.write(LOOP % enough)
    with open(s.path("book.ps"), "w", encoding="ascii") as f:
        f.write("%!PS\n" + ("%" + "a page of the book " * 4 + "\n") * LINES + "showpage\n")
    spool = s.start("spool", ["sh", "-c", SPOOL % device])
    # a network and a /run of its own, because p910nd has a fixed port and fixed files
    p910nd = s.start("p910nd", ["unshare", "-n", "-m", "sh", "-c", START % device])
    s.wait("p910nd runs", lambda: proc(p910nd.pid, "comm").startswith("p910"))

    def send(job):
        return ["nsenter", "-t", p910nd.pid, "-n", "sh", "-c", "exec nc -N 127.0.0.1 9100 <%s" % s.path(job)]

    def listens():
        return "0100007F:238C" in proc(p910nd.pid, "net/tcp")

    s.wait("p910nd listens", listens)
    s.out(send("small.ps"), timeout=20)
    s.wait("ghostscript is free again", lambda: s.child("spool", "gs") and not uses_cpu(s.child("spool", "gs")))

    def pipe_writer():
        """p910nd writes to the printer, and sleeps in this call."""
        v = proc(p910nd.pid, "syscall").split()
        return v[0] == "1" and os.readlink("/proc/%d/fd/%d" % (p910nd.pid, int(v[1], 16))) == device

    s.out(send("poster.ps"), timeout=20)
    s.wait("ghostscript computes", lambda: uses_cpu(s.child("spool", "gs")))
    s.role("gs", s.child("spool", "gs"))

    s.begin()
    victim = s.start("victim", send("book.ps"))
    s.wait("p910nd waits for the printer", pipe_writer)
    s.wait("the victim cannot send more", lambda: s.state("victim") == "S" and proc(victim.pid, "comm") == "nc\n")
    s.during("p910nd waits for the printer", pipe_writer)
    s.during("ghostscript computes, and has the pipe open", lambda: s.uses_cpu("gs", 0.1, 0.8) and any(
        os.readlink("/proc/%d/fd/%s" % (s.pid("gs"), fd)) == device for fd in os.listdir("/proc/%d/fd" % s.pid("gs"))))
    s.during("the spooler waits for ghostscript", lambda: spool.poll() is None and s.child("spool") == s.pid("gs"))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["gs"], causes=["busy"], vague=["p910nd", "spool"])
    yield
    with open(enough, "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.check("the printer took the whole job", "error" not in s.output("spool").lower())


def uses_cpu(pid):
    """The process is running just now."""
    return proc(pid, "stat").rpartition(")")[2].split()[0] == "R"
