# SPDX-License-Identifier: GPL-2.0-or-later
"""seq writes to a window of screen. screen waits for one of its two displays: SIGSTOP has stopped script(1), the terminal
of this display."""
import os
import signal

from scene import proc

HELD_OUT = True
NEEDS = {"screen": "screen", "script": "bsdutils", "seq": "coreutils"}
LOOP = "while read -r n; do seq $n; echo end $n; done"


def play(s):
    env = {**os.environ, "SCREENDIR": s.path("sessions"), "TERM": "vt100", "HOME": s.where, "SHELL": "/bin/sh", "LC_ALL": "C"}
    os.mkdir(s.path("sessions"), 0o700)
    with open(s.path("rc"), "w", encoding="ascii") as f:
        f.write("startup_message off\ndeflogin off\ndefnonblock off\n")
    screen = ["env", *("%s=%s" % (k, env[k]) for k in ("SCREENDIR", "TERM", "HOME", "SHELL", "LC_ALL")), "screen"]
    for name in "desk", "bystander":
        s.start(name, ["screen", "-c", "rc", "-D", "-m", "-S", name, "sh", "-c", LOOP], env=env)
        s.wait("%s has its window" % name, lambda name=name: s.child(name, "sh"))
    s.role("shell", s.child("desk", "sh"))
    for name in "watcher", "viewer":
        s.start(name, ["script", "-q", "-f", "-c", "stty rows 24 cols 80; exec screen -c rc -x desk", name + ".log"], env=env,
                talk=True)

    def log(name):
        with open(s.path(name + ".log"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def stuff(text):
        s.out([*screen, "-S", "desk", "-p", "0", "-X", "stuff", text + "\n"])

    def displays():
        return [pid for name in ("watcher", "viewer") for pid in [s.child(name)] if pid and
                proc(pid, "comm") == "screen\n"]

    s.wait("both displays are there", lambda: len(displays()) == 2)
    stuff("3")
    for name in "watcher", "viewer":
        s.wait("%s shows the window" % name, lambda name=name: "end 3" in log(name))

    s.begin()
    os.kill(s.pid("viewer"), signal.SIGSTOP)
    s.wait("script stops", lambda: s.state("viewer") == "T")
    stuff("300000")
    s.wait("seq runs", lambda: s.child("shell", "seq"))
    s.role("seq", s.child("shell", "seq"))

    def written():
        return int(proc(s.pid("seq"), "io").split()[3])

    def stands():
        before = written()
        return s.syscall("seq") == "write" and not s.uses_cpu("seq", 0.01, 0.3) and written() == before

    s.wait("seq waits", stands)
    s.during("script is stopped", lambda: s.state("viewer") == "T")
    s.during("seq waits in a write to its terminal", stands)
    s.during("screen has no work", lambda: s.state("desk") == "S" and not s.uses_cpu("desk", 0.05, 0.2))
    s.during("the other script has work, or waits", lambda: s.state("watcher") in "SR" and "end 300000" not in log("watcher"))
    s.hang(victim="seq", culprits=["viewer", "test"], causes=["stopped"], vague=["desk"], stuck=["shell"],
           wrong=["bystander", "watcher"])
    yield
    os.kill(s.pid("viewer"), signal.SIGCONT)
    s.went_on("seq ends", lambda: s.child("shell", "seq") is None)
    s.wait("the window shows the end", lambda: "end 300000" in log("watcher"))
