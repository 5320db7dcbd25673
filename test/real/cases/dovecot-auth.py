# SPDX-License-Identifier: GPL-2.0-or-later
"""curl logs in at dovecot by IMAP. dovecot's process for passwords, auth, is stopped by SIGSTOP."""
import os
import signal

HELD_OUT = True
NEEDS = {"dovecot": "dovecot-imapd", "curl": "curl", "python3": "python3"}
IDLE = """
import socket, sys
c = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
c.sendall(b"a login user secret\\r\\nb select inbox\\r\\nc idle\\r\\n")
while said := c.recv(4096):
    print(said.decode(), flush=True)
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
    s.start("dovecot", ["dovecot", "-F", "-c", s.path("dovecot.conf")])
    s.wait("dovecot answers", lambda: s.connects(port))
    curl = ["curl", "-s", "-u", "user:secret", "imap://127.0.0.1:%s/" % port]
    s.check("dovecot lists the mailboxes", "INBOX" in s.out(curl))
    for name in "auth", "anvil", "log":
        s.role(name, s.child("dovecot", name))
        s.check("dovecot has its process %s" % name, s.child("dovecot", name))
    with open(s.path("idle.py"), "w", encoding="ascii") as f:
        f.write(IDLE)
    s.start("bystander", ["python3", "idle.py", port])
    s.wait("the other session is idle", lambda: "+ idling" in s.output("bystander"))

    s.begin()
    os.kill(s.pid("auth"), signal.SIGSTOP)
    s.wait("auth stops", lambda: s.state("auth") == "T")
    before = {pid for pid, _ in s.roles.values()}
    victim = s.start("victim", curl)
    s.wait("curl waits", lambda: s.state("victim") == "S" and s.syscall("victim") in ("poll", "ppoll"))
    s.during("auth is stopped", lambda: s.state("auth") == "T")
    s.during("curl waits for an answer", lambda: victim.poll() is None and s.output("victim") == "" and
             s.syscall("victim") in ("poll", "ppoll"))
    s.during("no new auth has come", lambda: s.child("dovecot", "auth") == s.pid("auth"))
    session = s.child("dovecot", "imap-login")
    s.check("a process serves curl", session and session not in before)
    s.role("login", session)
    s.during("the process that serves curl is idle", lambda: s.state("login") == "S" and not s.uses_cpu("login", 0.02, 0.2))
    s.role("idle_session", s.child("dovecot", "imap"))
    s.hang(victim="victim", culprits=["auth", "test"], causes=["stopped"], vague=["login"],
           wrong=["dovecot", "anvil", "log", "bystander", "idle_session"])
    yield
    os.kill(s.pid("auth"), signal.SIGCONT)
    s.ended("victim")
    s.check("dovecot lists the mailboxes", "INBOX" in s.output("victim"))
