# SPDX-License-Identifier: GPL-2.0-or-later
"""The second instance of a Qt program waits for the first one. The window of the first one is frozen: it waits for the end of
ffmpeg. ffmpeg asks whether to replace a file, and reads the answer from a pipe. Only the first instance could write it."""
import importlib.util
import os
import re
import signal
import wave

from scene import Missing

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "ffmpeg": "ffmpeg", "xdpyinfo": "x11-utils", "python3": "python3"}
PLAYER = """
import sys
from PyQt5.QtCore import QProcess, QTimer
from PyQt5.QtNetwork import QLocalServer, QLocalSocket
from PyQt5.QtWidgets import QApplication, QLabel

def say(text):
    print(text, flush=True)

def serve():
    client = server.nextPendingConnection()
    client.waitForReadyRead(-1)
    sound = bytes(client.readAll()).decode().strip()
    ffmpeg = QProcess()
    ffmpeg.start("ffmpeg", ["-loglevel", "error", "-i", "in.wav", sound])
    ffmpeg.waitForFinished(-1)
    client.write(b"converted" if ffmpeg.exitCode() == 0 and ffmpeg.exitStatus() == 0 else b"failed")
    client.flush()
    client.disconnectFromServer()

name, sound = sys.argv[1:]
app = QApplication(sys.argv)
first = QLocalSocket()
first.connectToServer(name)
if first.waitForConnected(1000):
    first.write(sound.encode() + b"\\n")
    first.flush()
    first.waitForReadyRead(-1)
    say(bytes(first.readAll()).decode())
    sys.exit(0)
label = QLabel("Player")
label.show()
server = QLocalServer()
server.newConnection.connect(serve)
server.listen(name)
timer = QTimer()
timer.timeout.connect(lambda: say("tick"))
timer.start(200)
app.exec_()
"""


def play(s):
    if not importlib.util.find_spec("PyQt5"):
        raise Missing("needs the package python3-pyqt5")
    with open(s.path("player.py"), "w", encoding="ascii") as f:
        f.write(PLAYER)
    with wave.open(s.path("in.wav"), "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(8000)
        f.writeframes(bytes(16000))
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: re.search(r"^(\d+)\n", s.output("xvfb"), re.M), 20)
    display = ":" + re.search(r"^(\d+)\n", s.output("xvfb"), re.M).group(1)
    os.mkdir(s.path("run"), 0o700)
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.path("run"), "QT_QPA_PLATFORM": "xcb",
           "TMPDIR": s.where, "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + s.path("bus"), "NO_AT_BRIDGE": "1"}

    def player(role, name, sound):
        return s.start(role, ["/usr/bin/python3", "player.py", name, s.path(sound)], env=env)

    for name in "first", "bystander":
        player(name, name, "none")
        s.wait("the window of %s works" % name, lambda name=name: s.output(name).count("tick") > 2, 40)
    good = player("good", "first", "new.flac")
    s.wait("a new sound is converted", lambda: good.poll() is not None, 30)
    s.check("it is there", s.output("good") == "converted\n" and os.path.getsize(s.path("new.flac")) > 0)

    s.begin()
    victim = player("victim", "first", "new.flac")
    s.wait("ffmpeg runs", lambda: s.child("first", "ffmpeg"), 20)
    s.role("ffmpeg", s.child("first", "ffmpeg"))
    s.wait("ffmpeg waits for an answer", lambda: s.syscall("ffmpeg") == "read" and s.syscall("first") in ("poll", "ppoll"), 20)

    def files(pid):
        where = "/proc/%d/fd" % pid
        return {os.readlink(os.path.join(where, fd)) for fd in os.listdir(where)}

    pipe = os.readlink("/proc/%d/fd/0" % s.pid("ffmpeg"))
    ticks = s.output("first").count("tick")
    s.during("ffmpeg reads its input, a pipe", lambda: s.syscall("ffmpeg") == "read" and "pipe" in s.wchan("ffmpeg") and
             os.readlink("/proc/%d/fd/0" % s.pid("ffmpeg")) == pipe and pipe.startswith("pipe:"))
    s.during("only the first instance could write to it", lambda: [p for p in s.living() if pipe in files(p)
                                                                   and p != s.pid("ffmpeg")] == [s.pid("first")])
    s.during("the window of the first instance is frozen", lambda: s.output("first").count("tick") == ticks and
             s.state("first") == "S" and s.syscall("first") in ("poll", "ppoll"))
    s.during("the second instance waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("poll", "ppoll"))
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display], timeout=15))
    seen = [0]

    def other_works():
        before, seen[0] = max(seen[0], s.output("bystander").count("tick")), s.output("bystander").count("tick")
        return s.wait("a tick", lambda: s.output("bystander").count("tick") > before) is None

    s.during("the other window works", other_works)
    # The first instance made the mistake, but an answer that names ffmpeg is right too.
    s.hang(victim="victim", culprits=["ffmpeg", "first"], causes=["circular-wait"], wrong=["xvfb", "bystander", "test"])
    yield
    os.kill(s.pid("ffmpeg"), signal.SIGKILL)
    s.ended("victim")
    s.check("the second instance has its answer", s.output("victim") == "failed\n")
    s.went_on("the window works again", lambda: s.output("first").count("tick") > ticks)
