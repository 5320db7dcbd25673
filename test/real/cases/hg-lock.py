# SPDX-License-Identifier: GPL-2.0-or-later
"""hg waits for the lock of its repository. The owner, another hg, runs a hook that asks a web server that SIGSTOP has stopped."""
import os
import signal

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"hg": "mercurial", "curl": "curl", "python3": "python3"}


def play(s):
    port = s.port()
    os.mkdir(s.path("web"))
    with open(s.path("web/allowed"), "w", encoding="ascii") as f:
        f.write("yes\n")
    s.start("web", ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", port], cwd=s.path("web"))
    s.wait("the web server answers", lambda: s.connects(port))
    words = ["env", "HGRCPATH=", "HGUSER=a", "HGPLAIN=1"]
    env = {**os.environ, **dict(w.split("=", 1) for w in words[1:])}
    for name in "shop", "other":
        s.out([*words, "hg", "init", name])
    with open(s.path("shop/.hg/hgrc"), "w", encoding="ascii") as f:
        f.write("[hooks]\npretxncommit.ask = curl -sf http://127.0.0.1:%s/allowed >/dev/null\n" % port)
    for name in "first", "page", "list":
        with open(s.path("shop/" + name), "w", encoding="ascii") as f:
            f.write("hello\n")

    def hg(*args):
        return ["hg", "-R", s.path("shop"), "--cwd", s.path("shop"), *args]

    s.out([*words, *hg("add", "first", "page", "list")])
    s.out([*words, *hg("commit", "-m", "First", "first")])

    s.begin()
    os.kill(s.pid("web"), signal.SIGSTOP)
    s.wait("the web server stops", lambda: s.state("web") == "T")
    owner = s.start("owner", hg("commit", "-m", "Page", "page"), env=env)

    def curl():
        return next((pid for pid in descendants(owner.pid) if proc(pid, "comm") == "curl\n"), None)

    s.wait("the hook runs", curl)
    s.role("curl", curl())
    if s.child("owner") != s.pid("curl"):
        s.role("hook", s.child("owner"))
    victim = s.start("victim", hg("commit", "-m", "List", "list"), env=env)
    s.wait("hg waits for the lock", lambda: "waiting for lock" in s.output("victim"))
    s.during("the owner has the lock", lambda: os.readlink(s.path("shop/.hg/wlock")).endswith(":%d" % owner.pid))
    s.during("the hook's curl waits", lambda: curl() == s.pid("curl") and s.state("curl") == "S")
    s.during("the web server is stopped", lambda: s.state("web") == "T")
    s.during("hg sleeps between two tries", lambda: victim.poll() is None and not s.uses_cpu("victim", 0.2))
    s.hang(victim="victim", culprits=["web", "test"], causes=["stopped"], vague=["owner", "curl", *({"hook"} & set(s.roles))])
    yield
    os.kill(s.pid("web"), signal.SIGCONT)
    s.ended("victim")
    s.ended("owner")
    s.check("both commits are there", len(s.out([*words, *hg("log", "-T", "{desc}\\n")]).split()) == 3)
