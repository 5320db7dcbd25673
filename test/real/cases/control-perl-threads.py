# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: two threads of a perl wait on purpose for jobs of a Thread::Queue. A job comes every 0.4 s, and is done at
once."""
import re

HELD_OUT = False
NEEDS = {"perl": "perl"}
SHOP = """
use threads;
use Thread::Queue;
$| = 1;
my $jobs = Thread::Queue->new;
my @clerks = map { my $n = $_; threads->create(sub {
    open(my $comm, '>', '/proc/thread-self/comm') or die;
    print $comm "clerk$n";
    close $comm;
    print "clerk$n ready\\n";
    while (defined(my $job = $jobs->dequeue)) { print "job $job done by clerk$n\\n" }
}) } 0, 1;
my $job = 0;
while (1) {
    $jobs->enqueue(++$job);
    print "job $job\\n";
    select undef, undef, undef, 0.4;
}
"""


def play(s):
    with open(s.path("shop.pl"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.start("perl", ["perl", "shop.pl"])
    s.wait("both threads are there", lambda: s.threads("perl", "clerk0") and s.threads("perl", "clerk1"), 30)
    for name in "clerk0", "clerk1":
        s.role(name, s.pid("perl"), s.threads("perl", name)[0])

    def done():
        return len(re.findall(r"job \d+ done", s.output("perl")))

    s.wait("jobs are done", lambda: done() > 1, 20)
    s.begin()

    def goes_on():
        n = done()
        s.wait("a job is done", lambda: done() > n, 3)
        return True

    def waits(name):
        s.wait("%s waits" % name, lambda: s.syscall(name) == "futex" and s.state(name) == "S", 2)
        return True

    s.during("jobs are done", goes_on)
    s.during("both threads wait for jobs", lambda: waits("clerk0") and waits("clerk1"))
    s.during("nobody computes", lambda: not s.uses_cpu("perl", 0.3))
    s.normal(victim="clerk0", causes=["timer", "external"])
    yield
    n = done()
    s.went_on("more jobs are done", lambda: done() > n)
    s.check("no job waits for long", len(re.findall(r"job \d+\n", s.output("perl"))) - done() < 3)
