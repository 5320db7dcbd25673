# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: oggenc packs a sound that ffmpeg plays in real time (-re). ffmpeg sleeps on purpose between the parts of the
sound."""
import os
import re

from scene import proc

HELD_OUT = False
NEEDS = {"ffmpeg": "ffmpeg", "oggenc": "vorbis-tools"}
LIVE = "ffmpeg -nostdin -v error -re -f lavfi -i sine=frequency=440:sample_rate=8000 -f s16le - | " \
       "oggenc -Q -r -R 8000 -C 1 -o sound.ogg -; echo end"


def play(s):
    s.start("live", ["sh", "-c", LIVE])
    s.wait("both run", lambda: s.child("live", "oggenc") and s.child("live", "ffmpeg"), 30)
    s.role("oggenc", s.child("live", "oggenc"))
    s.role("ffmpeg", s.child("live", "ffmpeg"))

    def size():
        """The bytes of sound that oggenc has read."""
        return int(re.search(r"rchar: (\d+)", proc(s.pid("oggenc"), "io")).group(1))

    s.wait("the sound grows", lambda: size() > 40000, 60)
    s.begin()

    def grows():
        n = size()
        s.wait("the sound grows", lambda: size() > n, 4)
        return True

    s.during("the sound grows", grows)
    s.during("oggenc mostly waits", lambda: not s.uses_cpu("oggenc", 0.5))
    s.during("ffmpeg mostly sleeps", lambda: not s.uses_cpu("ffmpeg", 0.5))
    s.normal(victim="oggenc", causes=["timer", "external"])
    yield
    n = size()
    s.went_on("the sound goes on", lambda: size() > n)
    os.kill(s.pid("ffmpeg"), 15)
    s.wait("the end comes", lambda: "end" in s.output("live"), 20)
    s.check("the sound is an Ogg file", s.out(["sh", "-c", "head -c 4 sound.ogg"]) == "OggS")
