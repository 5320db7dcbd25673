# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: `mpc idleloop` waits until something changes in the music player mpd, which is paused."""
import os

HELD_OUT = True
NEEDS = {"mpd": "mpd", "mpc": "mpc"}
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
 type "null"
 name "silence"
}
"""


def play(s):
    for name in "music", "lists":
        os.mkdir(s.path(name))
    with open(s.path("mpd.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % {"where": s.where})
    s.start("mpd", ["mpd", "--no-daemon", s.path("mpd.conf")], env={**os.environ, "HOME": s.where})
    mpc = ["mpc", "-h", s.path("sock")]
    s.wait("mpd answers", lambda: os.path.exists(s.path("sock")) and "volume" in s.out([*mpc, "status"]))
    listener = s.start("listener", [*mpc, "idleloop"])
    waits = ("poll", "ppoll", "select", "pselect6", "read", "recvfrom", "epoll_wait")
    s.wait("mpc waits for a change", lambda: s.syscall("listener") in waits)
    s.out([*mpc, "repeat", "on"])
    s.wait("mpc tells a change", lambda: "options" in s.output("listener"))
    s.wait("mpd is idle", lambda: s.state("mpd") == "S")

    s.begin()
    before, began = s.output("listener"), s.cpu_s("listener")
    s.during("mpc waits for a change", lambda: listener.poll() is None and s.state("listener") == "S" and
             s.syscall("listener") in waits)
    s.during("nothing changes, and mpc has no work", lambda: s.output("listener") == before and
             s.cpu_s("listener") - began < 0.05)
    s.during("mpd is idle", lambda: s.state("mpd") == "S")
    s.normal(victim="listener", causes=["external"])
    yield
    s.out([*mpc, "random", "on"])
    s.went_on("mpc tells the next change", lambda: s.output("listener").count("options") == 2)
    s.check("mpd answers", "random: on" in s.out([*mpc, "status"]))
