# SPDX-License-Identifier: GPL-2.0-or-later
"""`mpc stop` waits for mpd. Its output thread waits for a recorder that reads no data: it waits for the lock of an
archive, which a nightly job owns. The job sleeps until the tape is rewound."""
import os
import wave

from scene import descendants, proc

HELD_OUT = True
NEEDS = {"mpd": "mpd", "mpc": "mpc", "flock": "util-linux"}
CONFIG = """
music_directory "%(where)s/music"
playlist_directory "%(where)s/lists"
db_file "%(where)s/db"
state_file "%(where)s/state"
log_file "%(where)s/mpd.log"
pid_file "%(where)s/pid"
bind_to_address "%(where)s/sock"
zeroconf_enabled "no"
auto_update "no"
audio_output {
 type "pipe"
 name "recorder"
 format "44100:16:2"
 always_on "no"
 command "flock %(where)s/archive.lock dd of=%(where)s/radio.pcm bs=64k status=none"
}
"""


def play(s):
    lock = s.path("archive.lock")
    for name in "music", "lists":
        os.mkdir(s.path(name))
    with open(s.path("mpd.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % {"where": s.where})
    for name in "archive.lock", "tape.lock":
        with open(s.path(name), "w", encoding="ascii"):
            pass
    with wave.open(s.path("music/news.wav"), "wb") as f:
        f.setnchannels(2)
        f.setsampwidth(2)
        f.setframerate(44100)
        f.writeframes(os.urandom(44100 * 4) * 120)
    s.start("mpd", ["mpd", "--no-daemon", s.path("mpd.conf")], env={**os.environ, "HOME": s.where})
    mpc = ["mpc", "-h", s.path("sock")]
    s.wait("mpd answers", lambda: os.path.exists(s.path("sock")) and "volume" in s.out([*mpc, "status"]))
    s.out([*mpc, "update", "--wait"])
    s.out([*mpc, "add", "news.wav"])
    s.out([*mpc, "play"])
    s.wait("the radio is recorded", lambda: os.path.getsize(s.path("radio.pcm")) > 100000)
    s.out([*mpc, "stop"])
    s.wait("the recorder ended", lambda: not s.locks(lock)["owners"])

    owner = s.start("owner", ["flock", lock, "sleep", s.seconds + 4])
    s.wait("the job has the lock", lambda: s.locks(lock)["owners"] == [owner.pid] and s.child("owner", "sleep"))
    s.role("sleeper", s.child("owner", "sleep"))
    s.start("bystander", ["flock", s.path("tape.lock"), "sleep", "600"])
    s.out([*mpc, "play"])
    s.wait("the recorder waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("recorder", s.locks(lock)["waiters"][0])
    s.check("the recorder is a child of mpd", s.pid("recorder") in descendants(s.pid("mpd")))
    s.role("output", next(t for t in s.threads("mpd") if proc(s.pid("mpd"), "comm", t).startswith("output:")))
    s.wait("the pipe to the recorder is full", lambda: s.syscall("output") == "write" and "pipe" in s.wchan("output"))

    s.begin()
    victim = s.start("victim", [*mpc, "stop"])
    s.wait("mpc waits for mpd",
           lambda: s.state("victim") == "S" and
           s.syscall("victim") in ("poll", "select", "pselect6", "recvfrom", "read"))
    s.during("the output thread waits for the recorder",
             lambda: s.syscall("output") == "write" and "pipe" in s.wchan("output"))
    s.during("the recorder waits for the lock of the job",
             lambda: s.locks(lock) == {"owners": [owner.pid], "waiters": [s.pid("recorder")]})
    s.during("the job sleeps", lambda: s.syscall("sleeper") == "clock_nanosleep")
    s.during("mpc waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["owner", "sleeper"], causes=["lock-holder", "timer"],
           vague=["recorder", "output", "mpd"], wrong=["bystander", "test"])
    yield
    s.ended("owner")
    s.ended("victim")
