# SPDX-License-Identifier: GPL-2.0-or-later
"""A seq writes to the terminal of script(1). script waits for its log, a FIFO. The perl that reads the FIFO waits for
the lock of a spool file. A Python program has this lock, and waits for a line of input."""
import os

from scene import proc

HELD_OUT = True
NEEDS = {"script": "bsdutils", "perl": "perl", "python3": "python3", "seq": "coreutils"}

SPOOL = """
use Fcntl ':flock';
my ($fifo, $spool) = @ARGV;
$| = 1;
open(my $in, '<', $fifo) or die;
open(my $out, '>>', $spool) or die;
my @rows;
while (1) {
    my $row = <$in>;
    push @rows, $row if defined $row;
    next if defined $row && @rows < 500;
    flock($out, LOCK_EX) or die;
    print $out @rows;
    @rows = ();
    flock($out, LOCK_UN);
    last if !defined $row;
}
print "end\\n";
"""
REVIEW = """
import fcntl, sys
f = open(sys.argv[1], "a")
fcntl.flock(f, fcntl.LOCK_EX)
print("reviews", flush=True)
sys.stdin.readline()
"""


def play(s):
    for name, text in ("spool.pl", SPOOL), ("review.py", REVIEW), ("spool", ""), ("other", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.mkfifo(s.path("log"))
    for name, path in ("owner", "spool"), ("bystander", "other"):
        s.start(name, ["/usr/bin/python3", "review.py", path], talk=True)
        s.wait("%s has its lock" % name, lambda name=name, path=path: s.locks(s.path(path))["owners"] == [s.pid(name)])
    s.start("reader", ["perl", "spool.pl", "log", "spool"])
    job = "read go; seq -f 'row %.0f is imported' 300000; echo all imported; read end"
    s.start("script", ["script", "-q", "-f", "-c", job, "log"], talk=True, env={**os.environ, "SHELL": "/bin/sh"})
    s.wait("the shell of the terminal is there", lambda: s.child("script"))
    shell = s.role("shell", s.child("script"))

    s.begin()
    s.say("script", "go")
    s.wait("seq runs", lambda: s.child("shell", "seq"))
    s.role("victim", s.child("shell", "seq"))
    s.wait("the reader waits for the lock", lambda: s.locks(s.path("spool"))["waiters"] == [s.pid("reader")])
    s.wait("seq waits", lambda: s.state("victim") == "S" and s.syscall("victim") == "write" and
           s.state("script") == "S" and s.syscall("script") == "write")
    s.during("the owner has the lock, and the reader waits for it",
             lambda: s.locks(s.path("spool")) == {"owners": [s.pid("owner")], "waiters": [s.pid("reader")]})

    def writes_log():
        number, fd = (int(x, 0) for x in proc(s.pid("script"), "syscall").split()[:2])
        return number == 1 and os.path.samefile("/proc/%d/fd/%d" % (s.pid("script"), fd), s.path("log"))

    s.during("script waits in a write to its log", writes_log)
    s.during("seq waits in a write to the terminal", lambda: s.syscall("victim") == "write" and
             os.readlink("/proc/%d/fd/1" % s.pid("victim")).startswith("/dev/pts/"))
    s.during("the owner reads its input", lambda: s.syscall("owner") == "read" and s.state("owner") == "S")
    # The test has the other end of the owner's input, and sends no line.
    s.hang(victim="victim", culprits=["owner", "test"], causes=["lock-holder", "external", "slow-peer"],
           vague=["reader"], stuck=["script"], wrong=["bystander", "shell"])
    yield
    s.say("owner", "done")
    s.ended("owner")
    s.went_on("all is imported", lambda: "all imported" in s.output("script"))
    s.check("the shell is there", s.child("script") == shell)
    s.say("script", "end")
    s.ended("reader")
    with open(s.path("spool"), encoding="ascii") as f:
        s.check("the spool is whole", "row 300000 is imported" in f.read())
