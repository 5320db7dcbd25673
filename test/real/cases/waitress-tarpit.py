# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for hitch, hitch for waitress, and waitress for exim. exim lets a sender of mail wait on purpose (a tarpit): it
sleeps before it accepts the recipient."""
import glob
import os
import re
import shutil

from scene import Missing, children

HELD_OUT = False
NEEDS = {"hitch": "hitch", "waitress-serve": "python3-waitress", "exim4": "exim4-daemon-light", "openssl": "openssl",
         "curl": "curl", "nc": "netcat-openbsd"}
DELAY_S = 9

EXIM = """
primary_hostname = mail.test
spool_directory = %(where)s/spool
log_file_path = %(where)s/%%slog
pid_file_path = %(where)s/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = %(mail)s
tls_advertise_hosts =
host_lookup =
rfc1413_hosts =
queue_only
acl_smtp_rcpt = check
begin acl
check:
  accept local_parts = postmaster
  accept delay = %(delay)ds
begin routers
all:
  driver = accept
  transport = hole
begin transports
hole:
  driver = appendfile
  file = /dev/null
"""
SHOP = """
import smtplib
import threading


def shop(environ, start_response):
    user = environ["PATH_INFO"].strip("/")
    text = "open\\n"
    if user:
        with open("thread_" + user, "w", encoding="ascii") as f:
            f.write(str(threading.get_native_id()))
        with smtplib.SMTP("127.0.0.1", %s) as mail:
            mail.sendmail("shop@mail.test", [user + "@mail.test"], "Subject: your parcel\\r\\n\\r\\nIt is here.\\r\\n")
        text = "sent\\n"
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(text)))])
    return [text.encode()]
"""


def play(s):
    ports = {name: s.port() for name in ("tls", "web", "mail")}
    where = s.path("exim")
    for name, text in ("exim.conf", EXIM % {**ports, "where": where, "delay": DELAY_S}), ("shop.py", SHOP % ports["mail"]):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.mkdir(where)
    try:
        shutil.chown(where, "Debian-exim", "Debian-exim")
    except LookupError:
        raise Missing("no user Debian-exim here") from None
    s.out(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=shop.test", "-days", "2", "-keyout",
           "key.pem", "-out", "cert.pem"])
    s.out(["sh", "-c", "cat key.pem cert.pem >both.pem"])
    s.start("exim", ["exim4", "-bdf", "-C", s.path("exim.conf")])
    s.wait("exim answers", lambda: s.connects(ports["mail"]), 30)
    s.start("waitress", ["waitress-serve", "--listen=127.0.0.1:" + ports["web"], "--threads=3", "shop:shop"])
    s.wait("waitress listens", lambda: s.connects(ports["web"]), 40)
    s.start("hitch", ["hitch", "--user=nobody", "--workers=1", "--frontend=[127.0.0.1]:" + ports["tls"],
                      "--backend=[127.0.0.1]:" + ports["web"], "--ocsp-dir=", s.path("both.pem")])
    s.wait("hitch listens", lambda: s.connects(ports["tls"]), 30)

    def get(page):
        return ["curl", "-sS", "-k", "https://127.0.0.1:%s/%s" % (ports["tls"], page)]

    s.check("the page comes", s.out(get("")) == "open")
    # hitch has a second child, which only gets certificates.
    sockets = [p for p in children(s.pid("hitch")) if any("socket:" in os.readlink(f) for f in glob.glob("/proc/%d/fd/*" % p))]
    s.check("hitch has one worker", len(sockets) == 1)
    s.role("hitch_worker", sockets[0])
    s.check("a mail goes out at once", s.out(get("postmaster")) == "sent")
    s.start("idler", ["nc", "127.0.0.1", ports["mail"]], talk=True)
    s.wait("exim greets", lambda: "220 mail.test" in s.output("idler"), 20)
    s.wait("exim has a process for it only", lambda: len(children(s.pid("exim"))) == 1)
    s.role("idle_exim", children(s.pid("exim"))[0])

    s.begin()
    victim = s.start("victim", get("berta"))
    s.wait("waitress has the question", lambda: os.path.getsize(s.path("thread_berta")) > 0)
    with open(s.path("thread_berta"), encoding="ascii") as f:
        s.role("thread", s.pid("waitress"), int(f.read()))
    s.wait("exim has a process for the mail", lambda: len(children(s.pid("exim"))) == 2)
    s.role("tarpit", next(p for p in children(s.pid("exim")) if p != s.pid("idle_exim")))
    s.wait("it sleeps with a time limit", lambda: s.syscall("tarpit") in ("poll", "ppoll", "clock_nanosleep", "nanosleep"))

    def limit_ms():
        """The time limit of exim's poll."""
        with open("/proc/%d/syscall" % s.pid("tarpit"), encoding="ascii") as f:
            v = f.read().split()
        return int(v[3], 16) if v[0] == "7" else 0

    s.wait("this limit is the delay", lambda: limit_ms() == DELAY_S * 1000)
    s.during("exim sleeps for the delay", lambda: s.state("tarpit") == "S" and limit_ms() == DELAY_S * 1000)
    s.during("the thread of waitress waits for exim", lambda: s.state("thread") == "S" and
             s.syscall("thread") in ("recvfrom", "read", "poll"))
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "ppoll"))
    s.during("the other exim waits for its client", lambda: s.state("idle_exim") == "S")
    s.during("another page comes", lambda: s.out(get(""), timeout=8) == "open")
    s.hang(victim="victim", culprits=["tarpit"], causes=["timer"], vague=["hitch_worker", "waitress", "thread"],
           wrong=["idle_exim", "idler", "exim", "hitch", "test"])
    yield
    s.ended("victim")
    s.check("the mail was taken", s.output("victim") == "sent\n")
    with open(os.path.join(where, "mainlog"), encoding="utf-8") as f:
        s.check("exim has the mail", re.search(r"<= shop@mail\.test", f.read()))
