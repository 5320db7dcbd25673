# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that looks for a font waits for the lock of the font cache. fc-cache owns the lock. Its user has stopped it with
Ctrl-Z, which he typed at its terminal, while it read new fonts."""
import glob
import os
import shutil

from scene import Missing, descendants, proc

HELD_OUT = True
NEEDS = {"fc-cache": "fontconfig", "fc-match": "fontconfig", "script": "bsdutils", "bash": "bash"}
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>
"""
COPIES = 5000


def play(s):
    found = sorted(glob.glob("/usr/share/fonts/**/*.ttf", recursive=True), key=os.path.getsize)
    if not found:
        raise Missing("no fonts here (package fonts-dejavu-core)")
    for name in "desk", "other":
        os.makedirs(s.path(name + "/fonts"))
        with open(s.path(name + "/fonts.conf"), "w", encoding="ascii") as f:
            f.write(FONTS % (s.path(name + "/fonts"), s.path(name + "/cache")))
        shutil.copy(found[0], s.path(name + "/fonts/first.ttf"))

    def env(name):
        return {**os.environ, "FONTCONFIG_FILE": s.path(name + "/fonts.conf"), "HOME": s.where, "TERM": "dumb",
                "XDG_CACHE_HOME": s.path(name)}

    match = ["fc-match", "-f", "%{file}\n", "sans"]
    for name in "desk", "other":
        s.out(["env", "FONTCONFIG_FILE=" + s.path(name + "/fonts.conf"), "fc-cache", "-s"])
    shutil.copy(found[-1], s.path("new.ttf"))
    for i in range(COPIES):  # the user adds new fonts, so the cache is old
        os.link(s.path("new.ttf"), s.path("desk/fonts/new%d.ttf" % i))
    cache = glob.glob(s.path("desk/cache/*.cache-*"))[0]

    s.start("terminal", ["script", "-qefc", "bash --norc --noprofile -i", s.path("terminal.log")], talk=True, env=env("desk"))
    s.wait("the shell runs", lambda: s.child("terminal", "bash"))
    s.role("shell", s.child("terminal", "bash"))
    s.say("terminal", "fc-cache -v")
    s.wait("fc-cache runs", lambda: s.child("shell", "fc-cache"))
    s.role("owner", s.child("shell", "fc-cache"))
    s.wait("fc-cache has the lock", lambda: s.locks(cache)["owners"] == [s.pid("owner")])
    s.processes["terminal"][0].stdin.write(b"\x1a")
    s.processes["terminal"][0].stdin.flush()
    s.wait("Ctrl-Z stops fc-cache", lambda: s.state("owner") == "T")
    s.check("it has the lock still", s.locks(cache)["owners"] == [s.pid("owner")])

    s.begin()
    victim = s.start("victim", match, env=env("desk"))
    s.wait("the victim waits for the lock", lambda: s.locks(cache)["waiters"] == [victim.pid])
    s.during("the victim waits for the lock, and fc-cache has it",
             lambda: s.locks(cache) == {"owners": [s.pid("owner")], "waiters": [victim.pid]} and
             s.syscall("victim") == "fcntl" and victim.poll() is None)
    s.during("fc-cache is stopped", lambda: s.state("owner") == "T" and proc(s.pid("owner"), "comm") == "fc-cache\n")
    s.during("its shell waits for the user", lambda: s.state("shell") == "S" and s.pid("owner") in descendants(s.pid("shell")))
    s.during("fonts of another cache are found", lambda: s.out(
        ["env", "FONTCONFIG_FILE=" + s.path("other/fonts.conf"), *match]) == s.path("other/fonts/first.ttf"))
    # The test plays the user.
    s.hang(victim="victim", culprits=["owner", "test"], causes=["stopped"], vague=["terminal"], wrong=["shell"])
    yield
    s.say("terminal", "fg")
    s.ended("victim")
    s.check("a font is found", s.output("victim").startswith(s.path("desk/fonts/")))
