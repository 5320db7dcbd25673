# SPDX-License-Identifier: GPL-2.0-or-later
"""A perl waits in msgsnd, because its queue (System V) is full. The reader waits for a file lock, whose owner sleeps."""
import re
import subprocess

HELD_OUT = True
NEEDS = {"perl": "perl", "ipcmk": "util-linux", "ipcrm": "util-linux", "flock": "util-linux"}
MSGSND, MSGRCV = "69", "70"  # system calls of x86-64

SENDER = r"""
$| = 1;
my ($queue, $orders) = @ARGV;
for my $n (1 .. $orders) {
    msgsnd($queue, pack("l! a1000", 1, "order $n"), 0) or die "msgsnd: $!";
}
print "sent $orders\n";
"""
READER = r"""
use Fcntl ":flock";
$| = 1;
my ($queue, $orders) = @ARGV;
for my $n (1 .. $orders) {
    my $order;
    msgrcv($queue, $order, 1000, 0, 0) or die "msgrcv: $!";
    open(my $lock, ">", "ledger.lock") or die;
    flock($lock, LOCK_EX) or die "flock: $!";
    close($lock);
}
print "read $orders\n";
"""
ORDERS = 100


def play(s):
    for name, text in ("sender.pl", SENDER), ("reader.pl", READER), ("ledger.lock", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    queues = {}
    for name in "orders", "idle":
        queues[name] = re.search(r"\d+", s.out(["ipcmk", "-Q"])).group()
        s.callback(subprocess.run, ["ipcrm", "-q", queues[name]], stderr=subprocess.DEVNULL, check=False)
    lock = s.path("ledger.lock")

    def queue(column):
        with open("/proc/sysvipc/msg", encoding="ascii") as f:
            names, *rows = [line.split() for line in f]
        return next(int(row[names.index(column)]) for row in rows if row[1] == queues["orders"])

    s.start("bystander", ["perl", "reader.pl", queues["idle"], ORDERS])
    reader = s.start("reader", ["perl", "reader.pl", queues["orders"], ORDERS])
    s.wait("the readers wait for orders", lambda: s.syscall("reader") == MSGRCV == s.syscall("bystander"))
    owner = s.start("owner", ["flock", lock, "sleep", s.seconds + 4])
    s.wait("the owner has the lock", lambda: s.locks(lock)["owners"] == [owner.pid] and s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))

    s.begin()
    victim = s.start("victim", ["perl", "sender.pl", queues["orders"], ORDERS])
    s.wait("the victim waits in msgsnd", lambda: s.syscall("victim") == MSGSND and s.state("victim") == "S")
    s.during("the victim waits in msgsnd", lambda: victim.poll() is None and s.syscall("victim") == MSGSND and
             s.state("victim") == "S")
    s.during("the queue is full, and only the reader has read from it", lambda: queue("cbytes") + 1000 > 16000 and
             queue("lrpid") == reader.pid and queue("lspid") == victim.pid)
    s.during("the owner has the lock, for which the reader waits",
             lambda: s.locks(lock) == {"owners": [owner.pid], "waiters": [reader.pid]})
    s.during("the bystander waits for another queue", lambda: s.syscall("bystander") == MSGRCV)
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"], vague=["reader"],
           wrong=["bystander", "test"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.check("all orders are sent", s.output("victim") == "sent %d\n" % ORDERS)
