# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: paplay plays a sound of ten seconds on pulseaudio. pulseaudio takes the sound as fast as it plays."""
import math
import os
import re
import struct
import time
import wave

HELD_OUT = False
NEEDS = {"pulseaudio": "pulseaudio", "paplay": "pulseaudio-utils", "pactl": "pulseaudio-utils"}
RATE, LENGTH = 44100, 10


def play(s):
    for name in "home", "run":
        os.mkdir(s.path(name), 0o700)
    with wave.open(s.path("bell.wav"), "wb") as f:
        f.setnchannels(2)
        f.setsampwidth(2)
        f.setframerate(RATE)
        second = b"".join(struct.pack("<hh", v, v) for v in
                          (int(9000 * math.sin(i * 2 * math.pi * 440 / RATE)) for i in range(RATE)))
        for _ in range(LENGTH):
            f.writeframes(second)
    socket = s.path("run/native")
    env = {**os.environ, "HOME": s.path("home"), "XDG_RUNTIME_DIR": s.path("run"), "PULSE_RUNTIME_PATH": s.path("run"),
           "PULSE_STATE_PATH": s.path("home"), "PULSE_SERVER": "unix:" + socket, "LC_ALL": "C",
           "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"}
    s.start("pulseaudio", ["pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
                           "--disallow-exit=yes", "-L", "module-null-sink sink_name=bell",
                           "-L", "module-native-protocol-unix auth-anonymous=1 socket=" + socket],
            env={k: v for k, v in env.items() if k != "PULSE_SERVER"})

    def inputs():
        return s.out(["env", "PULSE_SERVER=unix:" + socket, "HOME=" + s.path("home"), "LC_ALL=C", "pactl", "list", "short",
                      "sink-inputs"])

    s.wait("pulseaudio answers", lambda: os.path.exists(socket) and inputs() == "")
    began = time.monotonic()
    paplay = s.start("paplay", ["paplay", "--verbose", s.path("bell.wav")], env=env)

    def played():
        """The seconds that paplay has played, as it says."""
        said = re.findall(r"Time: ([0-9.]+) sec", s.output("paplay"))
        return float(said[-1]) if said else 0

    s.wait("the sound plays", lambda: played() > 0.2 and inputs())

    s.begin()
    s.during("paplay plays as fast as the time goes", lambda: abs(time.monotonic() - began - played()) < 3 and played() > 0)
    s.during("pulseaudio plays one sound", lambda: len(inputs().splitlines()) == 1 and paplay.poll() is None)
    s.normal(victim="paplay", causes=["timer", "external"])
    yield
    before = played()
    s.wait("the sound goes on", lambda: played() > before)
    s.ended("paplay")
    s.check("it took its time", LENGTH - 1 < time.monotonic() - began < LENGTH + 5)
