# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: tar writes a backup to zstd, which compresses all the time. The backup grows as fast as it can."""
import os
import random

HELD_OUT = False
NEEDS = {"tar": "tar", "zstd": "zstd", "dd": "coreutils"}


def play(s):
    words = random.Random(1).choices([b"parcel", b"letter", b"stamp", b"desk", b"clerk", b"counter"], k=1000000)
    os.mkdir(s.path("papers"))
    for n in range(30):
        with open(s.path("papers/book%d" % n), "wb") as f:
            f.write(b" ".join(words[n * 1000:] + words[:n * 1000]))
    s.start("job", ["sh", "-c", "tar -cf - papers | zstd -q -16 -T1 >backup; echo done"])
    s.wait("tar and zstd run", lambda: s.child("job", "tar") and s.child("job", "zstd"))
    for name in "tar", "zstd":
        s.role(name, s.child("job", name))

    def written():
        return os.path.getsize(s.path("backup"))

    s.wait("the backup grows", written)

    s.begin()

    def grows():
        n = written()
        s.wait("the backup grows", lambda: written() > n, 3)
        return True

    s.during("the backup grows", grows)
    s.during("the job has not ended", lambda: "done" not in s.output("job"))
    s.normal(victim="tar", causes=["busy"])
    yield
    n = written()
    s.went_on("the backup grows", lambda: written() > n)
