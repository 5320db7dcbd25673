# SPDX-License-Identifier: GPL-2.0-or-later
"""pip download waits for the keyring, in which the password for the package index is. The keyring is locked, and gnome-keyring
waits for a window (gcr-prompter) that asks for its password. Nobody types it."""
import os
import subprocess
import zipfile

from scene import Invalid, Missing, proc

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "xdotool": "xdotool", "dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin", "python3": "python3",
         "gnome-keyring-daemon": "gnome-keyring"}
PYTHON = "/usr/bin/python3"
INDEX = """
import base64, http.server, os, sys
WANTED = "Basic " + base64.b64encode(b"clerk:stock17").decode()
class Index(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path.startswith("/locked") and self.headers.get("Authorization") != WANTED:
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Basic realm=shop")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        data, kind = b'<a href="parcel-1.0-py3-none-any.whl">parcel</a>', "text/html"
        if self.path.endswith(".whl"):
            with open("parcel-1.0-py3-none-any.whl", "rb") as f:
                data, kind = f.read(), "application/octet-stream"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Index).serve_forever()
"""
STORE = """
import sys
import keyring, secretstorage
keyring.set_password("127.0.0.1:" + sys.argv[1], "clerk", "stock17")
collection = secretstorage.get_default_collection(secretstorage.dbus_init())
collection.lock()
print("locked" if collection.is_locked() else "open")
"""


def play(s):
    if subprocess.run([PYTHON, "-c", "import keyring, pip, secretstorage"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the packages python3-keyring, python3-secretstorage and python3-pip")
    if not os.path.exists("/usr/share/dbus-1/services/org.gnome.keyring.SystemPrompter.service"):
        raise Missing("needs the package gcr")
    port, bus = s.port(), "unix:path=" + s.path("bus")
    for name in "home", "run", "locked", "open":
        os.mkdir(s.path(name), 0o700)
    for name, text in ("index.py", INDEX), ("store.py", STORE):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    with zipfile.ZipFile(s.path("parcel-1.0-py3-none-any.whl"), "w") as wheel:
        wheel.writestr("parcel.py", "")
        for name, text in ("METADATA", "Metadata-Version: 2.1\nName: parcel\nVersion: 1.0\n"), \
                ("WHEEL", "Wheel-Version: 1.0\nGenerator: shop\nRoot-Is-Purelib: true\nTag: py3-none-any\n"), ("RECORD", ""):
            wheel.writestr("parcel-1.0.dist-info/" + name, text)
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"), 20)
    env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith("PIP_")}
    env.update({"DISPLAY": ":" + s.output("xvfb").split()[-1], "HOME": s.path("home"), "XDG_RUNTIME_DIR": s.path("run"),
                "DBUS_SESSION_BUS_ADDRESS": bus, "GSETTINGS_BACKEND": "memory", "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local",
                "PIP_CONFIG_FILE": "/dev/null", "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",
                "LC_ALL": "C.UTF-8"})
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + bus], env=env)
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))
    keyring = s.start("keyring", ["gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets"], env=env,
                      talk=True)
    keyring.stdin.write(b"parcel17")
    keyring.stdin.close()

    def call(method):
        return s.out(["env", "DBUS_SESSION_BUS_ADDRESS=" + bus, "dbus-send", "--session", "--print-reply",
                      "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus." + method], timeout=10)

    s.wait("the keyring is there", lambda: "org.freedesktop.secrets" in call("ListNames"))
    store = s.start("store", [PYTHON, "store.py", port], env=env)
    s.wait("the password is stored", lambda: store.poll() is not None, 20)
    s.check("the keyring is locked: " + s.output("store")[-300:], s.output("store") == "locked\n")
    s.start("index", [PYTHON, "index.py", port])
    s.wait("the index answers", lambda: s.connects(port))

    def download(role, index):
        return s.start(role, [PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-cache-dir", "download", "--no-deps",
                              "--dest", s.path(index), "--index-url", "http://%s127.0.0.1:%s/%s/" % (
                                  "clerk@" if index == "locked" else "", port, index), "parcel"], env=env)

    first = download("first", "open")
    s.wait("pip downloads from the open index", lambda: first.poll() is not None, 30)
    s.check("the parcel is there", first.returncode == 0 and os.listdir(s.path("open")))
    s.start("bystander", ["dbus-monitor", "--address", bus, "interface='org.shop.Report'"])

    def prompters():
        return [pid for pid in s.living() if proc(pid, "comm") == "gcr-prompter\n"]

    s.begin()
    victim = download("victim", "locked")
    s.wait("a window asks for the password", prompters, 20)
    s.role("prompter", prompters()[0])

    x = ["env", "DISPLAY=" + env["DISPLAY"], "xdotool"]

    def windows():
        try:
            return s.out([*x, "search", "--onlyvisible", "--class", "gcr-prompter"]).split()
        except Invalid:  # xdotool fails if there is no window yet
            return []

    s.wait("the window is there", windows)
    s.during("the window asks for the password", lambda: windows() and s.state("prompter") == "S" and
             s.syscall("prompter") in ("poll", "ppoll") and not s.uses_cpu("prompter", 0.1, 0.2))
    s.during("pip waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             not s.uses_cpu("victim", 0.05, 0.2) and not os.listdir(s.path("locked")))
    s.during("pip waits for the bus", lambda: s.syscall("victim") in ("recvmsg", "recvfrom", "poll", "select", "epoll_wait"))
    s.during("the keyring waits", lambda: s.state("keyring") == "S")
    s.during("the bus and the index answer", lambda: "method return" in call("GetId") and s.connects(port))
    s.hang(victim="victim", culprits=["prompter", "test"], causes=["external", "slow-peer"], vague=["keyring", "bus"],
           wrong=["index", "xvfb", "bystander", "first"])
    yield
    s.out([*x, "windowfocus", windows()[-1]])
    s.out([*x, "type", "--delay", "50", "parcel17"])
    s.out([*x, "key", "Return"])
    s.ended("victim")
    s.check("the parcel is there", os.listdir(s.path("locked")))
