# SPDX-License-Identifier: GPL-2.0-or-later
"""msmtp waits until a mail server has taken its mail. The mail server waits for a scanner, and the scanner for the file
lock of its signatures. The owner of the lock runs bzip2, which computes."""
import importlib.util
import os

from scene import Missing

HELD_OUT = False
NEEDS = {"msmtp": "msmtp", "python3": "python3", "ss": "iproute2", "perl": "perl", "flock": "util-linux", "bzip2": "bzip2"}
MAIL = """
import socket, sys, threading
from aiosmtpd.controller import Controller

class Handler:
    async def handle_DATA(self, server, session, envelope):
        with socket.socket(socket.AF_UNIX) as c:
            c.connect(sys.argv[2])
            c.sendall(envelope.content)
            c.shutdown(socket.SHUT_WR)
            said = c.makefile().read().strip()
        return "250 " + said

Controller(Handler(), hostname="127.0.0.1", port=int(sys.argv[1])).start()
threading.Event().wait()
"""
SCANNER = """
use strict; use Fcntl ':flock'; use IO::Socket::UNIX;
my ($way, $lock) = @ARGV;
my $listener = IO::Socket::UNIX->new(Local => $way, Listen => 5) or die;
while (my $c = $listener->accept()) {
    my $mail = join('', <$c>);
    open(my $signatures, '<', $lock) or die;
    flock($signatures, LOCK_SH);
    print $c $mail =~ /virus/ ? "bad" : "clean";
    close($signatures);
    close($c);
}
"""


def play(s):
    if not importlib.util.find_spec("aiosmtpd"):
        raise Missing("no aiosmtpd here (package python3-aiosmtpd)")
    port, lock = s.port(), s.path("signatures")
    for name, text in ("mail.py", MAIL), ("scanner.pl", SCANNER), ("letter", "Subject: parcel\n\nThe parcel is there.\n"), \
            ("signatures", ""), ("update", "#!/bin/sh\nexec bzip2 -9c /dev/zero >/dev/null\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("update"), 0o755)
    s.start("scanner", ["perl", "scanner.pl", s.path("scan"), lock])
    s.wait("the scanner listens", lambda: os.path.exists(s.path("scan")))
    s.start("mail", ["/usr/bin/python3", "-W", "ignore", "mail.py", port, s.path("scan")])
    s.wait("the mail server listens", lambda: s.connects(port), 20)
    send = ["sh", "-c", 'exec msmtp -C /dev/null --host=127.0.0.1 --port=%s --auth=off --tls=off --from=shop@test.example '
            '--timeout=60 clerk@test.example <letter' % port]
    s.out(send)
    s.start("updater", ["flock", lock, s.path("update")])
    s.wait("the update has the lock", lambda: s.locks(lock)["owners"] == [s.pid("updater")] and s.child("updater", "bzip2"))
    s.role("bzip2", s.child("updater", "bzip2"))

    s.begin()
    victim = s.start("victim", send)
    s.wait("the scanner waits for the lock", lambda: s.locks(lock)["waiters"] == [s.pid("scanner")])
    s.during("the scanner waits for the updater's lock", lambda: s.locks(lock) == {
        "owners": [s.pid("updater")], "waiters": [s.pid("scanner")]} and s.syscall("scanner") == "flock")
    s.during("bzip2 computes", lambda: s.child("updater") == s.pid("bzip2") and s.uses_cpu("bzip2", 0.1))
    s.during("the mail server is connected to the scanner", lambda: sum(
        s.path("scan") in row and "ESTAB" in row and "pid=%d," % s.pid("scanner") in row
        for row in s.out(["ss", "-xpH"]).splitlines()) == 1)
    s.during("the mail server does not compute", lambda: not s.uses_cpu("mail", 0.1))
    s.during("msmtp waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["bzip2", "updater"], causes=["busy", "lock-holder"], vague=["mail", "scanner"],
           wrong=["test"])
    yield
    os.kill(s.pid("bzip2"), 15)
    s.ended("victim")
