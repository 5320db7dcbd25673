# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: mpv plays a long sound to the null device, which takes it at the speed of a sound card."""
import json
import socket
import wave

HELD_OUT = False
NEEDS = {"mpv": "mpv"}


def play(s):
    with wave.open(s.path("tone.wav"), "wb") as f:
        f.setnchannels(1)
        f.setsampwidth(2)
        f.setframerate(8000)
        wave_of_tone = b"".join((400 * (i - 20)).to_bytes(2, "little", signed=True) for i in range(40))
        f.writeframes(wave_of_tone * 24000)
    s.start("victim", ["mpv", "--no-config", "--no-video", "--ao=null", "--no-terminal", "--no-input-terminal",
                       "--input-ipc-server=" + s.path("ipc"), "tone.wav"])

    def position():
        with socket.socket(socket.AF_UNIX) as c:
            c.settimeout(2)
            c.connect(s.path("ipc"))
            c.sendall(b'{"command": ["get_property", "time-pos"], "request_id": 7}\n')
            text = b""
            while b'"request_id":7' not in text:
                text += c.recv(4096)
            return next(json.loads(x).get("data") or 0 for x in text.decode().splitlines() if '"request_id":7' in x)

    s.wait("mpv plays", lambda: position() > 0.3, 20)
    s.begin()

    def plays():
        before = position()
        s.wait("the sound goes on", lambda: position() > before + 0.1, 2)
        return True

    s.during("the sound goes on", plays)
    s.during("mpv needs little CPU", lambda: not s.uses_cpu("victim", 0.3))
    s.normal(victim="victim", causes=["timer", "external"])
    yield
    before = position()
    s.went_on("the sound goes on", lambda: position() > before + 0.1)
    s.check("mpv did not end", s.processes["victim"][0].poll() is None)
