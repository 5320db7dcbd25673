# SPDX-License-Identifier: GPL-2.0-or-later
"""A listener of icecast2 gets no sound: its source, a curl, waits for its pipe. The playlist script that should write
there sleeps between two songs."""
import os
import shutil
import signal
import time

from scene import proc

HELD_OUT = False
NEEDS = {"icecast2": "icecast2", "curl": "curl", "pv": "pv"}
CONFIG = """<icecast>
  <limits><clients>20</clients><sources>4</sources><source-timeout>60</source-timeout>
  <burst-on-connect>0</burst-on-connect><header-timeout>60</header-timeout></limits>
  <authentication><source-password>secret</source-password><admin-user>admin</admin-user>
  <admin-password>secret</admin-password></authentication>
  <hostname>localhost</hostname>
  <listen-socket><port>{port}</port><bind-address>127.0.0.1</bind-address></listen-socket>
  <paths><logdir>{w}/log</logdir><webroot>/usr/share/icecast2/web</webroot>
  <adminroot>/usr/share/icecast2/admin</adminroot></paths>
  <logging><accesslog>access.log</accesslog><errorlog>error.log</errorlog><loglevel>3</loglevel></logging>
  <security><chroot>0</chroot></security>
</icecast>
"""
PLAYLIST = """
while :; do
    pv -q -L 40k $1/song
    [ -e $1/pause ] && sleep 300
done
"""
STATION = "sh playlist %s | curl -sS -u source:secret -H 'Content-Type: audio/mpeg' -T - %s"
SONG = 40000  # bytes: one second


def play(s):
    port = s.port()
    os.mkdir(s.path("log"))
    os.chmod(s.path("log"), 0o777)
    with open(s.path("song"), "wb") as f:
        f.write(os.urandom(SONG))
    for name, text in ("icecast.xml", CONFIG.format(port=port, w=s.where)), ("playlist", PLAYLIST):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("icecast", ["icecast2", "-c", s.path("icecast.xml")], user="daemon")
    s.wait("icecast2 answers", lambda: s.connects(port))

    def station(name, where):
        url = "http://127.0.0.1:%s/%s.mp3" % (port, name)
        s.start(name, ["sh", "-c", STATION % (where, url)])
        s.wait("the station runs", lambda: s.child(name, "curl") and s.child(name, "sh"))
        s.role(name + "_curl", s.child(name, "curl"))
        s.role(name + "_list", s.child(name, "sh"))
        s.wait("the station is on the air", lambda: "/%s.mp3" % name in s.out(
            ["curl", "-sS", "-u", "admin:secret", "http://127.0.0.1:%s/admin/listmounts" % port]))
        return s.start(name + "_listener", ["curl", "-sSN", url])

    os.mkdir(s.path("other"))
    shutil.copy(s.path("song"), s.path("other"))

    def heard(name):
        return os.path.getsize(s.path(name + "_listener.out"))

    victim = station("shop", s.where)
    s.wait("the listener hears the first song", lambda: heard("shop") > SONG // 4)
    station("cellar", s.path("other"))
    s.wait("the other listener hears the first song", lambda: heard("cellar") > SONG // 4)
    with open(s.path("pause"), "w", encoding="ascii"):
        pass
    s.wait("the playlist sleeps", lambda: s.child("shop_list", "sleep"))
    s.role("sleep", s.child("shop_list", "sleep"))
    time.sleep(0.5)  # the last sound arrives

    s.begin()
    before = heard("shop")

    def plays():
        n = heard("cellar")
        s.wait("the other listener hears more", lambda: heard("cellar") > n, 4)
        return True

    s.during("the playlist waits for sleep", lambda: s.child("shop_list") == s.pid("sleep") and
             s.syscall("sleep") in ("nanosleep", "clock_nanosleep"))
    s.during("the source of the station waits for its pipe", lambda: s.state("shop_curl") == "S" and
             proc(s.pid("shop_curl"), "comm") == "curl\n")
    s.during("the listener hears nothing", lambda: victim.poll() is None and s.state("shop_listener") == "S" and
             heard("shop") == before)
    s.during("icecast2 works for the other station", plays)
    s.hang(victim="shop_listener", culprits=["sleep"], causes=["timer"],
           vague=["shop_list", "shop_curl", "shop", "icecast"],
           wrong=["cellar", "cellar_list", "cellar_curl", "cellar_listener"])
    yield
    os.remove(s.path("pause"))
    os.kill(s.pid("sleep"), signal.SIGTERM)
    s.went_on("the listener hears more", lambda: heard("shop") > before)
    s.check("the station still plays", s.child("shop", "curl") == s.pid("shop_curl"))
