# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: make makes sounds and compresses them, two at a time, with sox and flac, which compute all the time."""
import glob

HELD_OUT = True
NEEDS = {"make": "make", "sox": "sox", "flac": "flac"}
FILES = 3000
MAKEFILE = """all: $(patsubst %%,%%.flac,$(shell seq 1000 %d))
%%.flac:
\t@sox -n -r 44100 -b 16 -t wav - synth 20 pinknoise 2>/dev/null | flac -8 --totally-silent -o $@ -
"""


def play(s):
    with open(s.path("Makefile"), "w", encoding="ascii") as f:
        f.write(MAKEFILE % (1000 + FILES))

    def made():
        return len(glob.glob(s.path("*.flac")))

    s.begin()
    make = s.start("make", ["make", "-j2"])
    s.wait("the first sounds are made", lambda: made() > 3)
    seen = [0]

    def goes_on():
        before, seen[0] = seen[0], made()
        return seen[0] > before or s.wait("the next sound", lambda: made() > before, 3) is None

    s.during("more sounds were made", goes_on)
    s.during("make still has work", lambda: make.poll() is None and made() < FILES)
    s.normal(victim="make", causes=["busy"])
    yield
    n = made()
    s.went_on("more sounds are made", lambda: made() > n)
    s.check("make made a sound a second", n > s.seconds)
