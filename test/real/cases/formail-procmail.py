# SPDX-License-Identifier: GPL-2.0-or-later
"""formail gives the mails of a file to procmail. procmail looks again and again for the lock file of the mailbox to go away.
The program that made this lock file has crashed, so nobody removes it."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"formail": "procmail", "procmail": "procmail"}
RC = """MAILDIR=%s
DEFAULT=%s/inbox
LOGFILE=%s/log
LOCKSLEEP=1
LOCKTIMEOUT=600
:0:
* ^Subject: %s
%s
"""
MAIL = "From shop Tue Dec  1 00:00:0%d 2026\nFrom: shop@example.org\nSubject: %s\n\nThe parcel comes.\n\n"


def play(s):
    for name in "order", "news":
        with open(s.path(name + ".rc"), "w", encoding="ascii") as f:
            f.write(RC % (s.where, s.where, s.where, name, name))
        os.chmod(s.path(name + ".rc"), 0o600)
        with open(s.path(name + ".mails"), "w", encoding="ascii") as f:
            f.write(MAIL % (1, name) + MAIL % (2, name))

    def formail(name):
        return ["sh", "-c", "exec formail -n 1 -s procmail %s <%s" % (s.path(name + ".rc"), s.path(name + ".mails"))]

    def mails(name):
        with open(s.path(name), encoding="ascii") as f:
            return f.read().count("Subject: %s\n" % name)

    s.out(formail("order"))
    s.wait("mails arrive", lambda: mails("order") == 2)
    s.check("no lock file is left", not os.path.exists(s.path("order.lock")))
    with open(s.path("order.lock"), "w", encoding="ascii") as f:
        f.write("0")

    s.begin()
    victim = s.start("victim", ["sh", "-c", "exec formail -s procmail %s <%s" % (s.path("order.rc"), s.path("order.mails"))])
    s.wait("procmail runs", lambda: s.child("victim", "procmail"))
    s.role("procmail", s.child("victim", "procmail"))
    s.wait("formail waits", lambda: proc(victim.pid, "comm") == "formail\n" and s.state("victim") == "S")
    s.during("procmail sleeps", lambda: s.child("victim") == s.pid("procmail") and s.wait(
        "it sleeps", lambda: s.syscall("procmail") in ("nanosleep", "clock_nanosleep"), 2) is None)
    s.during("the lock file is there", lambda: os.path.exists(s.path("order.lock")) and mails("order") == 2)
    s.during("formail waits", lambda: victim.poll() is None and s.state("victim") == "S")

    def other_works():
        before = mails("news") if os.path.exists(s.path("news")) else 0
        s.out(formail("news"), timeout=5)
        s.wait("mails arrive", lambda: mails("news") == before + 2, 3)
        return True

    s.during("mails for another mailbox arrive", other_works)
    s.hang(victim="victim", culprits=["procmail"], causes=["polling", "timer", "lock-holder"], wrong=["test"])
    yield
    os.unlink(s.path("order.lock"))
    s.ended("victim")
    s.check("the mails are there", mails("order") == 4)
