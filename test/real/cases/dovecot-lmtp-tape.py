# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program hands a letter to dovecot (LMTP). dovecot waits for the lock of the mbox. An archive program has this
lock, and writes into a pipe whose reader sleeps until its next tape."""
import os
import re
import shutil
import signal

from scene import Missing

HELD_OUT = True
NEEDS = {"dovecot": "dovecot-core", "/usr/lib/dovecot/lmtp": "dovecot-lmtpd", "python3": "python3", "perl": "perl",
         "sh": "dash"}
CONFIG = """base_dir = {w}/run
state_dir = {w}/state
log_path = {w}/log
protocols = lmtp
listen = 127.0.0.1
ssl = no
mail_location = mbox:{w}/mail/%n:INBOX={w}/spool/%n
mbox_write_locks = fcntl
mbox_read_locks = fcntl
lock_method = fcntl
first_valid_uid = 1
passdb {{
  driver = static
  args = nopassword=y
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={w}/mail/%n allow_all_users=yes
}}
service lmtp {{
  inet_listener lmtp {{
    port = {port}
  }}
}}
"""
SEND = """
import smtplib, sys
who = sys.argv[2]
with smtplib.LMTP("127.0.0.1", int(sys.argv[1])) as c:
    c.sendmail("shop@localhost", [who + "@localhost"], "Subject: order\\r\\n\\r\\nOne tea, please.\\r\\n")
print("sent", flush=True)
"""
ARCHIVE = """
use Fcntl;
open(my $mbox, "+<", $ARGV[0]) or die;
fcntl($mbox, F_SETLKW, my $lock = pack("ssx4qqix4", F_WRLCK, 0, 0, 0, 0)) or die;
print while <$mbox>;
"""
TAPE = """
$SIG{USR1} = sub {};
sysread(STDIN, my $got, 8192);
sleep 3600; # until the next tape is there
1 while sysread(STDIN, $got, 8192);
"""


def play(s):
    port = s.port()
    os.chmod(s.where, 0o755)
    for name in "mail", "spool", "state":
        os.mkdir(s.path(name))
    try:
        for name in "mail", "spool":
            shutil.chown(s.path(name), "mail", "mail")
    except LookupError:
        raise Missing("no user mail here") from None
    for name, text in ("dovecot.conf", CONFIG.format(w=s.where, port=port)), ("send.py", SEND), ("archive.pl", ARCHIVE), \
            ("tape.pl", TAPE):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("dovecot", ["dovecot", "-F", "-c", s.path("dovecot.conf")])
    s.wait("dovecot listens", lambda: s.connects(port), 20)

    def send(who):
        return ["/usr/bin/python3", "send.py", port, who]

    for who in "anna", "berta":
        s.check("a letter comes", s.out(send(who)) == "sent")
    mbox = s.path("spool/anna")
    with open(mbox, "a", encoding="ascii") as f:
        for n in range(3000):
            f.write("From shop@localhost Thu Dec  3 10:00:00 2026\nSubject: order %d\n\nOne tea, please.\n\n" % n)
    s.start("nightly", ["sh", "-c", "perl archive.pl spool/anna | perl tape.pl"])

    def part(name):
        for pid in s.living():
            with open("/proc/%d/cmdline" % pid, "rb") as f:
                if f.read().startswith(b"perl\0%s.pl" % name.encode()):
                    return pid
        raise IndexError(name)

    for name in "archive", "tape":
        s.wait("%s runs" % name, lambda name=name: part(name))
        s.role(name, part(name))
    s.wait("the archive has the lock", lambda: s.locks(mbox)["owners"] == [s.pid("archive")])
    s.wait("the archive waits for the tape", lambda: s.syscall("archive") == "write" and
           s.syscall("tape") in ("nanosleep", "clock_nanosleep"))

    s.begin()
    victim = s.start("victim", send("anna"))
    s.wait("dovecot waits for the lock", lambda: len(s.locks(mbox)["waiters"]) == 1)
    s.role("lmtp", s.locks(mbox)["waiters"][0])
    s.during("dovecot waits for the lock of the archive", lambda: s.locks(mbox) == {
        "owners": [s.pid("archive")], "waiters": [s.pid("lmtp")]})
    s.during("the archive waits for the tape", lambda: s.syscall("archive") == "write" and s.state("archive") == "S" and
             os.readlink("/proc/%d/fd/1" % s.pid("archive")) == os.readlink("/proc/%d/fd/0" % s.pid("tape")))
    s.during("the tape sleeps", lambda: s.syscall("tape") in ("nanosleep", "clock_nanosleep"))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("others get letters", lambda: s.out(send("berta"), timeout=5) == "sent")
    s.hang(victim="victim", culprits=["tape"], causes=["timer"], vague=["archive", "lmtp"],
           wrong=["dovecot", "nightly", "test"])
    yield
    os.kill(s.pid("tape"), signal.SIGUSR1)
    s.ended("victim")
    with open(mbox, encoding="ascii") as f:
        s.check("the letter is there", len(re.findall(r"^Subject: order$", f.read(), re.M)) == 2)
