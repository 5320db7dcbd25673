# SPDX-License-Identifier: GPL-2.0-or-later
"""swaks talks without TLS to a mail port that wants TLS at once. swaks waits for the greeting of the server. haproxy, at this
port, waits for the first message of TLS. Each waits for the other."""
HELD_OUT = False
NEEDS = {"haproxy": "haproxy", "swaks": "swaks", "openssl": "openssl", "nc": "netcat-openbsd"}
CONFIG = """defaults
 mode tcp
 timeout connect 100s
 timeout client 100s
 timeout server 100s
frontend smtps
 bind 127.0.0.1:%s ssl crt %s
 default_backend mail
frontend smtp
 bind 127.0.0.1:%s
 default_backend mail
backend mail
 server mail 127.0.0.1:%s
"""
MAIL = """
import socketserver, sys
class Session(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 mail\\r\\n")
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"DATA":
                self.wfile.write(b"354 go on\\r\\n")
                while self.rfile.readline().strip() != b".":
                    pass
            self.wfile.write(b"221 bye\\r\\n" if word == b"QUIT" else b"250 fine\\r\\n")
            if word == b"QUIT":
                return
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
Server(("127.0.0.1", int(sys.argv[1])), Session).serve_forever()
"""


def play(s):
    secure, plain, back = s.port(), s.port(), s.port()
    for name, text in ("mail.py", MAIL), ("haproxy.cfg", CONFIG % (secure, s.path("both.pem"), plain, back)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=mail", "-keyout", "key.pem",
           "-out", "cert.pem"])
    s.out(["sh", "-c", "cat cert.pem key.pem >both.pem"])
    s.start("mail", ["/usr/bin/python3", "mail.py", back])
    s.wait("the mail server listens", lambda: s.connects(back))
    s.start("haproxy", ["haproxy", "-db", "-f", s.path("haproxy.cfg")])
    s.wait("haproxy listens", lambda: s.connects(plain))

    def send(port, *how):
        return ["swaks", "--server", "127.0.0.1", "--port", port, "--to", "desk@example.org", "--from", "shop@example.org",
                "--timeout", "100", *how]

    s.check("mail without TLS is sent", "221 bye" in s.out(send(plain)))

    def peers():
        """The number of connections to the port for TLS."""
        return len(s.out(["ss", "-tnH", "state", "established", "dport = :" + secure]).splitlines())

    s.wait("nobody is connected", lambda: peers() == 0)

    s.begin()
    victim = s.start("victim", send(secure))
    s.wait("the victim is connected", lambda: peers() == 1)
    s.wait("the victim waits", lambda: s.state("victim") == "S")
    s.during("the victim has no greeting", lambda: victim.poll() is None and peers() == 1 and s.state("victim") == "S" and
             "220" not in s.output("victim"))
    s.during("haproxy waits", lambda: s.state("haproxy") == "S" and s.syscall("haproxy") == "epoll_wait")
    s.during("other clients are served", lambda: "221 bye" in s.out(send(plain), timeout=5))
    s.hang(victim="victim", culprits=["haproxy"], causes=["circular-wait", "slow-peer", "external", "missing-wakeup"],
           wrong=["mail", "test"])
    yield
    s.processes["haproxy"][0].terminate()
    s.went_on("the victim has lost its connection", lambda: victim.poll() is not None)
    s.check("it says so", "220 mail" not in s.output("victim"))
