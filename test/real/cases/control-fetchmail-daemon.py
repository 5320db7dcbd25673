# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: fetchmail asks dovecot for mail every two seconds, and sleeps in between. A mail comes about
once a second."""
import os

HELD_OUT = True
NEEDS = {"fetchmail": "fetchmail", "dovecot": "dovecot-imapd"}
FETCH = """set daemon 2
set no bouncemail
poll 127.0.0.1 protocol imap port {port}
    user "user" password "secret" sslproto ""
    mda "cat >>{w}/got"
"""
DELIVER = """
i=0
while :; do
    i=$((i+1))
    printf 'From: shop@example.org\\nSubject: parcel %s\\n\\nhello\\n' $i >mail/user/tmp/$i
    mv mail/user/tmp/$i mail/user/new/$i.shop
    sleep 0.9
done
"""
CONFIG = """base_dir = {w}/run
state_dir = {w}/state
log_path = {w}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:{w}/mail/%n
first_valid_uid = 1
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={w}/mail/%n
}}
service imap-login {{
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
"""


def play(s):
    port = s.port()
    for name in "mail", "mail/user", "mail/user/tmp", "mail/user/new", "mail/user/cur", "home":
        os.mkdir(s.path(name))
        os.chmod(s.path(name), 0o777)
    for name, text in (("dovecot.conf", CONFIG), ("fetchmailrc", FETCH)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text.format(w=s.where, port=port))
    with open(s.path("deliver"), "w", encoding="ascii") as f:
        f.write(DELIVER)
    os.chmod(s.path("fetchmailrc"), 0o600)
    with open(s.path("got"), "w", encoding="ascii"):
        pass
    s.start("dovecot", ["dovecot", "-F", "-c", s.path("dovecot.conf")])
    s.wait("dovecot answers", lambda: s.connects(port))
    s.start("deliverer", ["sh", "deliver"], user="mail")
    victim = s.start("victim", ["fetchmail", "-N", "-f", s.path("fetchmailrc"), "--pidfile", s.path("fetchmail.pid"),
                                "-i", s.path("ids")],
                     env={**os.environ, "FETCHMAILHOME": s.path("home"), "HOME": s.path("home")})

    def mails():
        with open(s.path("got"), encoding="ascii") as f:
            return f.read().count("Subject: parcel")

    s.wait("mails come", lambda: mails() > 1, 20)

    s.begin()

    def goes_on():
        n = mails()
        s.wait("more mails come", lambda: mails() > n, 6)
        return True

    s.during("mails come", goes_on)
    s.during("fetchmail sleeps until its next question", lambda: sleeps(s, victim))
    s.normal(victim="victim", causes=["timer"])
    yield
    n = mails()
    s.went_on("more mails come", lambda: mails() > n)
    s.check("most mails came", mails() >= s.seconds - 3)


def sleeps(s, victim):
    """fetchmail sleeps within a short time."""
    calls = "select", "pselect6", "nanosleep", "clock_nanosleep", "poll"
    s.wait("fetchmail sleeps", lambda: s.syscall("victim") in calls, 6)
    return victim.poll() is None
