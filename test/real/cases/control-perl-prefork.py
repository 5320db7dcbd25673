# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: idle workers of a Perl server wait for a file lock. Its owner waits for the next client."""
from scene import children

HELD_OUT = False
NEEDS = {"perl": "perl", "curl": "curl"}

SERVER = """
use IO::Socket::INET;
use Fcntl ':flock';
my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 9, ReuseAddr => 1) or die;
for (1 .. 4) {
    next if fork;
    while (1) {
        open(my $turn, '>>', 'turn') or die;
        flock($turn, LOCK_EX) or die;
        my $c = $l->accept;
        close $turn;
        while (<$c>) { last if /^\\r?\\n/ }
        print $c "HTTP/1.0 200 OK\\r\\n\\r\\n$$\\n";
        close $c;
    }
}
1 while wait > 0;
"""


def play(s):
    port = s.port()
    for name, text in ("server.pl", SERVER), ("turn", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("server", ["perl", "server.pl", port])

    def turns():
        locks = s.locks(s.path("turn"))
        return len(locks["owners"]), len(locks["waiters"])

    s.wait("one worker has the lock, and three wait for it", lambda: turns() == (1, 3))
    workers = children(s.pid("server"))
    for n, pid in enumerate(workers):
        s.role("worker%d" % n, pid)

    s.begin()
    s.start("client", ["sh", "-c", "while :; do curl -s http://127.0.0.1:%s/; sleep 0.2; done" % port])

    def answers():
        return [int(x) for x in s.output("client").split("\n")[:-1]]

    s.wait("each worker answers", lambda: set(answers()) == set(workers))

    def goes_on():
        n = len(answers())
        s.wait("a page comes", lambda: len(answers()) > n, 2)
        return True

    s.during("pages come", goes_on)
    s.during("each worker has answered lately", lambda: set(answers()[-8:]) == set(workers))
    s.normal(victim="worker0", causes=["timer", "external"])
    yield
    n = len(answers())
    s.went_on("more pages come", lambda: len(answers()) > n + 2)
    s.check("a page came about every 0.2 s", n >= 3 * s.seconds)
