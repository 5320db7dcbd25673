# SPDX-License-Identifier: GPL-2.0-or-later
"""gio reads a file of an FTP server by gvfsd-ftp. The server has one thread, and its program computes a strong
checksum of a file that another client has sent."""
import os
import signal

from scene import Missing

HELD_OUT = False
NEEDS = {"gio": "libglib2.0-bin", "dbus-daemon": "dbus-daemon", "curl": "curl", "ss": "iproute2"}
GVFSD, FTPD = "/usr/libexec/gvfsd-ftp", "/usr/lib/python3/dist-packages/pyftpdlib"
SERVER = """
import hashlib, signal, sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer
stop = []
signal.signal(signal.SIGUSR1, lambda *_: stop.append(1))
class Handler(FTPHandler):
    def on_file_received(self, path):
        key, n = open(path, "rb").read(), 0
        while n < 10 ** 12 and not stop:
            key, n = hashlib.sha256(key).digest(), n + 1
        open(path + ".sum", "wb").write(key)
a = DummyAuthorizer()
a.add_anonymous(sys.argv[2], perm="elradfmw")
Handler.authorizer = a
FTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def play(s):
    if not os.path.exists(GVFSD) or not os.path.exists(FTPD):
        raise Missing("no gvfsd-ftp or pyftpdlib here (packages gvfs-backends, python3-pyftpdlib)")
    port, other = s.port(), s.port()
    for name in "home", "run", "ftp", "ftp2":
        os.mkdir(s.path(name))
    os.chmod(s.path("run"), 0o700)
    for name, text in ("ftp/price", "42\n"), ("ftp2/price", "43\n"), ("new", "hello\n"), ("server.py", SERVER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    address = "unix:path=" + s.path("bus")
    words = {"DBUS_SESSION_BUS_ADDRESS": address, "HOME": s.path("home"), "XDG_RUNTIME_DIR": s.path("run"),
             "GVFS_DISABLE_FUSE": "1", "GIO_USE_VFS": "gvfs", "GVFS_REMOTE_VOLUME_MONITOR_IGNORE": "1"}
    env = {**os.environ, **words}
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address], env=env)
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))
    server = s.start("server", ["/usr/bin/python3", s.path("server.py"), port, s.path("ftp")])
    s.start("bystander", ["/usr/bin/python3", s.path("server.py"), other, s.path("ftp2")])
    s.wait("the servers listen", lambda: s.connects(port) and s.connects(other))

    def gio(*args):
        return s.out(["env", *("%s=%s" % x for x in words.items()), "gio", *args], timeout=15)

    for p in port, other:
        gio("mount", "-a", "ftp://127.0.0.1:%s/" % p)
    s.check("both servers serve", gio("cat", "ftp://127.0.0.1:%s/price" % port) == "42" and
            gio("cat", "ftp://127.0.0.1:%s/price" % other) == "43")

    began = s.cpu_s("server")
    s.begin()
    s.start("sender", ["curl", "-s", "-T", s.path("new"), "ftp://127.0.0.1:%s/new" % port])
    s.wait("the server computes", lambda: s.cpu_s("server") - began > 0.1)
    victim = s.start("victim", ["gio", "cat", "ftp://127.0.0.1:%s/price" % port], env=env)
    s.wait("a gvfsd-ftp talks with the server", lambda: "gvfsd-ftp" in s.out(
        ["ss", "-tnpH", "state", "established", "dport", "=", ":" + port]))

    def backend(p):
        lines = s.out(["ss", "-tnpH", "state", "established", "dport", "=", ":" + p])
        return next(int(x.split("pid=")[1].split(",")[0]) for x in lines.splitlines() if '"gvfsd-ftp"' in x)

    s.role("backend", backend(port))
    s.during("the server computes", lambda: s.state("server") == "R" and s.cpu_s("server") - began > 0.1)
    s.during("gvfsd-ftp waits for the server", lambda: backend(port) == s.pid("backend") and s.state("backend") == "S")
    s.during("gio waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("another FTP server serves", lambda: gio("cat", "ftp://127.0.0.1:%s/price" % other) == "43")
    s.hang(victim="victim", culprits=["server"], causes=["busy"], vague=["backend"],
           wrong=["bystander", "sender", "bus", "test"])
    yield
    server.send_signal(signal.SIGUSR1)
    s.ended("victim")
    s.check("gio has the file", s.output("victim") == "42\n")
