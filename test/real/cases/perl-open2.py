# SPDX-License-Identifier: GPL-2.0-or-later
"""perl reads from its sort, and sort reads from perl: each waits for the other, because perl keeps the
pipe to sort open."""
import os
import signal

HELD_OUT = False
NEEDS = {"perl": "perl", "sort": "coreutils"}

CLERK = """
use IPC::Open2;
use IO::Handle;
my $pid = open2(my $from, my $to, 'sort', '-n');
$SIG{USR1} = sub { close($to) };
print $to "$_\\n" for reverse 1 .. 5;
$to->flush;
my $first = <$from>;
print "first $first";
1 while <$from>;
waitpid $pid, 0;
exit($? ? 3 : 0);
"""


def play(s):
    with open(s.path("clerk.pl"), "w", encoding="ascii") as f:
        f.write(CLERK)
    s.start("bystander", ["sort", "-n"], talk=True)

    s.begin()
    victim = s.start("victim", ["perl", "clerk.pl"])
    s.wait("sort runs", lambda: s.child("victim", "sort"))
    s.role("sort", s.child("victim", "sort"))

    def pipe(role, fd):
        name = os.readlink("/proc/%d/fd/%d" % (s.pid(role), fd))
        return name if name.startswith("pipe:") else None

    def reads_from():
        """The descriptor that perl reads."""
        with open("/proc/%d/syscall" % victim.pid, encoding="ascii") as f:
            return int(f.read().split()[1], 16)

    def perl_has(name):
        return any(os.readlink(os.path.join("/proc/%d/fd" % victim.pid, fd)) == name
                   for fd in os.listdir("/proc/%d/fd" % victim.pid))

    def others_have(name):
        """Whether a process of the scene, other than perl and sort, has this pipe open."""
        for pid in s.living():
            if pid not in (victim.pid, s.pid("sort")):
                for fd in os.listdir("/proc/%d/fd" % pid):
                    if os.readlink("/proc/%d/fd/%s" % (pid, fd)) == name:
                        return True
        return False

    s.wait("both read", lambda: s.syscall("victim") == s.syscall("sort") == "read")
    s.during("both sleep in a read of a pipe", lambda: victim.poll() is None and
             s.syscall("victim") == s.syscall("sort") == "read" and s.state("victim") == s.state("sort") == "S")
    s.during("perl reads the output of sort", lambda: pipe("victim", reads_from()) == pipe("sort", 1) is not None)
    s.during("only perl can write to the input of sort", lambda: pipe("sort", 0) and perl_has(pipe("sort", 0)) and
             not others_have(pipe("sort", 0)))
    # perl made the mistake, but an answer that names sort is right too.
    s.hang(victim="victim", culprits=["sort", "victim"], causes=["circular-wait"], wrong=["bystander", "test"])
    yield
    os.kill(victim.pid, signal.SIGUSR1)
    s.ended("victim")
    s.check("sort gave its lines", s.output("victim") == "first 1\n")
