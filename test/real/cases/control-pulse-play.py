# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: paplay plays a sound, and waits most of the time until pulseaudio takes the next samples. An application of sound
works as fast as the sound is heard."""
import os
import wave

from scene import proc

HELD_OUT = False
NEEDS = {"pulseaudio": "pulseaudio", "paplay": "pulseaudio-utils", "pactl": "pulseaudio-utils"}
RATE = 44100


def play(s):
    with wave.open(s.path("song.wav"), "wb") as f:
        f.setnchannels(2)
        f.setsampwidth(2)
        f.setframerate(RATE)
        f.writeframes(b"\0\1\2\3" * (RATE * 60))
    sock = s.path("sock")
    env = {**os.environ, "HOME": s.where, "XDG_RUNTIME_DIR": s.where, "PULSE_SERVER": "unix:" + sock}
    modules = ["module-native-protocol-unix auth-anonymous=1 socket=" + sock, "module-null-sink"]
    s.start("pulseaudio", ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                           *[x for module in modules for x in ("-L", module)]], env=env)
    pactl = ["env", "PULSE_SERVER=unix:" + sock, "pactl"]
    s.wait("pulseaudio answers", lambda: os.path.exists(sock) and "null" in s.out([*pactl, "list", "short", "sinks"]))
    s.start("paplay", ["paplay", s.path("song.wav")], env=env)

    def place():
        """How much of the song paplay has read, in bytes."""
        for fd in os.listdir("/proc/%d/fd" % s.pid("paplay")):
            if os.readlink("/proc/%d/fd/%s" % (s.pid("paplay"), fd)).endswith("song.wav"):
                return int(proc(s.pid("paplay"), "fdinfo/" + fd).split()[1])
        raise ValueError("the song is not open")

    s.wait("the song plays", lambda: "paplay" in s.out([*pactl, "list", "sink-inputs"]) and place() > 0)
    first = place()
    s.wait("paplay sends more", lambda: place() > first)

    s.begin()
    first = place()
    seen = [first]

    def plays():
        s.wait("paplay sends more", lambda: place() > seen[0], 4)
        seen[0] = place()
        return True

    s.during("the song plays", plays)
    s.during("paplay waits most of the time", lambda: not s.uses_cpu("paplay", 0.3))
    s.normal(victim="paplay", causes=["timer"])
    yield
    s.check("about %d s were played" % s.seconds, (s.seconds - 3) * RATE * 4 < place() - first < (s.seconds + 12) * RATE * 4)
    n = place()
    s.went_on("the song goes on", lambda: place() > n)
