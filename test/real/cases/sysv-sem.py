# SPDX-License-Identifier: GPL-2.0-or-later
"""A Perl program waits for a SysV semaphore. Another Perl program has taken the semaphore, and computes."""
import re
import signal

HELD_OUT = True
NEEDS = {"perl": "perl", "ipcs": "util-linux", "ipcrm": "util-linux"}

TURN = """
use IPC::SysV qw(SEM_UNDO);
my ($id, $what) = @ARGV;
my ($enough, $n) = (0, 0);
$| = 1;
$SIG{USR1} = sub { $enough = 1 };
print "asks\\n";
semop($id, pack("s!3", 0, -1, SEM_UNDO)) or die "$!";
print "has the turn\\n";
if ($what eq "compute") {
    while (!$enough) { $n = ($n * 1103515245 + 12345) % 2147483648 }
}
semop($id, pack("s!3", 0, 1, SEM_UNDO)) or die "$!";
print "is ready\\n";
sleep 100 if $what eq "idle";
"""
MAKE = """use IPC::SysV qw(IPC_PRIVATE IPC_CREAT); my $id = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600) // die;
semop($id, pack("s!3", 0, 1, 0)) or die; print $id"""


def play(s):
    with open(s.path("turn.pl"), "w", encoding="ascii") as f:
        f.write(TURN)
    sem = s.out(["perl", "-e", MAKE])
    s.callback(s.out, ["ipcrm", "-s", sem])
    s.start("bystander", ["perl", "turn.pl", sem, "idle"])
    s.wait("the bystander is ready", lambda: "ready" in s.output("bystander"))
    owner = s.start("owner", ["perl", "turn.pl", sem, "compute"])
    s.wait("the owner has the turn", lambda: "has the turn" in s.output("owner"))

    def semaphore():
        """Returns the value of the semaphore, the number of the waiters, and the pid that changed the value last."""
        line = re.search(r"(?m)^0 +(\d+) +(\d+) +\d+ +(\d+)", s.out(["ipcs", "-s", "-i", sem]))
        return [int(x) for x in line.groups()]

    s.check("the owner has the semaphore", semaphore() == [0, 0, owner.pid])

    s.begin()
    victim = s.start("victim", ["perl", "turn.pl", sem, "nothing"])
    s.wait("perl waits", lambda: semaphore()[1] == 1)
    s.during("the owner has taken the semaphore, and one task waits for it", lambda: semaphore() == [0, 1, owner.pid])
    s.during("the owner computes", lambda: s.uses_cpu("owner", 0.15))
    s.during("the victim waits for the semaphore", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("semop", "220", "65"))
    s.hang(victim="victim", culprits=["owner"], causes=["busy", "lock-holder"], wrong=["bystander", "test"])
    yield
    owner.send_signal(signal.SIGUSR1)
    s.ended("owner")
    s.ended("victim")
    s.check("the victim had its turn", "is ready" in s.output("victim"))
