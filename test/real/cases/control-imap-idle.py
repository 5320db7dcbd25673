# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a mail program waits for new mail at dovecot (IMAP IDLE). A mail comes about once a second."""
import os

HELD_OUT = True
NEEDS = {"dovecot": "dovecot-imapd", "python3": "python3"}
IDLE = """
import socket, sys
c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
c.sendall(b"a login user secret\\r\\nb select inbox\\r\\nc idle\\r\\n")
while said := c.recv(4096):
    print(said.decode(), flush=True)
"""
DELIVER = """
i=0
while :; do
    i=$((i+1))
    printf 'From: shop@example.org\\nSubject: parcel %s\\n\\nhello\\n' $i >mail/user/tmp/$i
    mv mail/user/tmp/$i mail/user/new/$i.shop
    sleep 1
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
    os.mkdir(s.path("mail"))
    os.chmod(s.path("mail"), 0o777)
    with open(s.path("dovecot.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG.format(w=s.where, port=port))
    for name, text in ("idle.py", IDLE), ("deliver", DELIVER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("dovecot", ["dovecot", "-F", "-c", s.path("dovecot.conf")])
    s.wait("dovecot answers", lambda: s.connects(port))
    s.start("reader", ["python3", "idle.py", port])
    s.wait("the mail program waits for mail", lambda: "+ idling" in s.output("reader"))
    s.start("deliverer", ["sh", "deliver"], user="mail")

    def mails():
        """The number of mails that dovecot has announced."""
        return max([0] + [int(line.split()[1]) for line in s.output("reader").splitlines() if line.strip().endswith("EXISTS")])

    s.wait("a mail comes", lambda: mails() > 1)

    s.begin()

    def goes_on():
        n = mails()
        s.wait("the next mail comes", lambda: mails() > n, 4)
        return True

    s.during("mails come", goes_on)
    s.during("the mail program waits", lambda: s.state("reader") == "S" and s.syscall("reader") == "recvfrom")
    s.normal(victim="reader", causes=["timer", "external"])
    yield
    n = mails()
    s.went_on("the next mail comes", lambda: mails() > n)
    s.check("a mail came about each second", mails() >= s.seconds - 2)
