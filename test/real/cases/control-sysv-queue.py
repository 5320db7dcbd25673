# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a perl waits on purpose for messages of a queue (System V). Another perl sends one every 0.3 s."""
import re
import subprocess

HELD_OUT = False
NEEDS = {"perl": "perl", "ipcmk": "util-linux", "ipcrm": "util-linux"}
MSGRCV = "70"  # the system call of x86-64

SENDER = r"""
for (my $n = 1;; $n++) {
    msgsnd($ARGV[0], pack("l! a*", 1, "order $n"), 0) or die "msgsnd: $!";
    select(undef, undef, undef, 0.3);
}
"""
READER = r"""
$| = 1;
my $order;
while (msgrcv($ARGV[0], $order, 1000, 0, 0)) {
    print unpack("x[l!] a*", $order), "\n";
}
"""


def play(s):
    for name, text in ("sender.pl", SENDER), ("reader.pl", READER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    queue = re.search(r"\d+", s.out(["ipcmk", "-Q"])).group()
    s.callback(subprocess.run, ["ipcrm", "-q", queue], stderr=subprocess.DEVNULL, check=False)

    def left():
        with open("/proc/sysvipc/msg", encoding="ascii") as f:
            names, *rows = [line.split() for line in f]
        return next(int(row[names.index("qnum")]) for row in rows if row[1] == queue)

    def orders():
        return len(s.output("reader").splitlines())

    s.start("reader", ["perl", "reader.pl", queue])
    s.wait("the reader waits for orders", lambda: s.syscall("reader") == MSGRCV)
    s.start("sender", ["perl", "sender.pl", queue])

    s.begin()

    def goes_on():
        n = orders()
        s.wait("an order comes", lambda: orders() > n, 3)
        return left() <= 1

    s.during("orders come, and none waits", goes_on)
    s.during("the reader uses almost no CPU", lambda: not s.uses_cpu("reader", 0.1))
    s.normal(victim="reader", causes=["timer", "external"])
    yield
    n = orders()
    s.went_on("more orders come", lambda: orders() > n + 1)
    s.check("an order came about every 0.3 s", n >= 2 * s.seconds)
