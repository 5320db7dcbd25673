# SPDX-License-Identifier: GPL-2.0-or-later
"""clamdscan waits for clamd, which has one thread for scans. For another file, this thread waits for its VirusEvent
command, a curl that reports the virus to a chat server. The chat server waits for a lock, and the archive that has the
lock is stopped."""
import hashlib
import os
import signal

HELD_OUT = True
NEEDS = {"clamd": "clamav-daemon", "clamdscan": "clamdscan", "curl": "curl", "perl": "perl", "flock": "util-linux"}
CONF = """Foreground yes
LocalSocket %(where)s/clamd.socket
DatabaseDirectory %(where)s/db
TemporaryDirectory %(where)s
MaxThreads 1
MaxQueue 20
CommandReadTimeout 100
SelfCheck 0
VirusEvent exec /usr/bin/curl -s http://127.0.0.1:%(port)s/virus
"""
CHAT = """use strict;
use Fcntl ':flock';
use IO::Socket::INET;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 5, ReuseAddr => 1) or die;
while (my $c = $server->accept) {
    my $line = <$c> // next;
    while (defined(my $l = <$c>)) { last if $l =~ /^\\s*$/ }
    open(my $log, '>>', 'chat.log') or die;
    flock($log, LOCK_EX);
    print $log $line;
    close $log;
    print $c "HTTP/1.0 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nok\\n";
    close $c;
}
"""

WAITS = ("recvfrom", "recvmsg", "read", "poll", "select", "pselect6")


def play(s):
    port, log = s.port(), s.path("chat.log")
    bad = b"a very bad mail\n"
    for name, text in (("clamd.conf", CONF % {"where": s.where, "port": port}), ("chat.pl", CHAT), ("chat.log", ""),
                       ("good", "a good mail\n"), ("bad", bad.decode())):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["mkdir", "db"])
    with open(s.path("db/shop.hdb"), "w", encoding="ascii") as f:
        f.write("%s:%d:Shop.Test\n" % (hashlib.md5(bad).hexdigest(), len(bad)))
    s.start("chat", ["perl", "chat.pl", port])
    s.wait("the chat server listens", lambda: s.connects(port))
    s.start("clamd", ["clamd", "-c", s.path("clamd.conf")])

    def scan(name):
        return ["clamdscan", "-c", s.path("clamd.conf"), "--no-summary", s.path(name)]

    s.wait("clamd listens", lambda: os.path.exists(s.path("clamd.socket")), 30)
    s.check("clamd scans", s.out(scan("good")).endswith("OK"))
    archive = s.start("archive", ["flock", "-F", log, "tail", "-n", "+1", "-f", log])
    s.wait("the archive has the lock", lambda: s.locks(log)["owners"] == [archive.pid])
    archive.send_signal(signal.SIGSTOP)
    other = s.start("other", scan("bad"))
    s.wait("the chat server waits for the lock", lambda: s.locks(log)["waiters"] == [s.pid("chat")])
    s.wait("clamd has a command", lambda: s.child("clamd", "curl"))
    s.role("command", s.child("clamd", "curl"))
    clamd = s.pid("clamd")
    waiting = [t for t in s.threads("clamd") if s.role("worker", clamd, t) and s.syscall("worker") == "wait4"]
    s.check("one thread of clamd waits for it", len(waiting) == 1)
    s.role("worker", clamd, waiting[0])

    s.begin()
    victim = s.start("victim", scan("good"))
    s.wait("clamdscan waits", lambda: s.syscall("victim") in WAITS)
    s.during("the chat server waits for the lock of the archive, which is stopped", lambda: s.state("archive") == "T"
             and s.locks(log) == {"owners": [archive.pid], "waiters": [s.pid("chat")]})
    s.during("clamd's only thread for scans waits for its command", lambda: s.syscall("worker") == "wait4"
             and s.child("clamd", "curl") == s.pid("command"))
    s.during("the command waits for the chat server", lambda: "pid=%d," % s.pid("command") in s.out(
        ["ss", "-tnpH", "state", "established", "dport = :" + port]))
    s.during("both clients wait", lambda: victim.poll() is None and other.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["archive"], causes=["stopped"], vague=["worker", "chat", "command"],
           wrong=["clamd", "other", "test"])
    yield
    archive.send_signal(signal.SIGTERM)  # an operator ends the archive
    archive.send_signal(signal.SIGCONT)
    s.ended("victim")
    s.check("the good mail is good", s.output("victim").strip().endswith("OK"))
    s.wait("the other scan found the virus", lambda: other.poll() == 1 and "Shop.Test" in s.output("other"))
