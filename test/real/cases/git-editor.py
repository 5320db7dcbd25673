# SPDX-License-Identifier: GPL-2.0-or-later
"""A script's `git commit` waits for its editor. vim waits until its user writes a message."""
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"git": "git", "vim": "vim", "script": "bsdutils"}


def play(s):
    env = {**{k: v for k, v in os.environ.items() if k not in ("VISUAL", "GIT_EDITOR")}, "TERM": "xterm", "LINES": "24",
           "COLUMNS": "80", "HOME": s.where, "GIT_CONFIG_NOSYSTEM": "1", "EDITOR": "vim -u NONE -i NONE -n"}
    with open(s.path(".gitconfig"), "w", encoding="ascii") as f:
        f.write("[user]\n\tname = clerk\n\temail = clerk@test.example\n")
    s.out(["git", "init", "-q", "shop"])
    with open(s.path("shop/stock"), "w", encoding="ascii") as f:
        f.write("17\n")
    s.out(["git", "-C", "shop", "add", "stock"])

    def vim(name):
        return [pid for pid in descendants(s.pid(name)) if proc(pid, "comm") == "vim\n"][0]

    def waits(role):
        return s.state(role) == "S" and s.syscall(role) in ("select", "pselect6", "poll", "ppoll", "read")

    s.start("bystander", ["script", "-qefc", "vim -u NONE -i NONE -n notes", s.path("bystander.log")], env=env, talk=True)
    s.wait("another vim runs", lambda: vim("bystander"))
    s.role("bystander_vim", vim("bystander"))
    s.wait("the other vim waits", lambda: waits("bystander_vim"))

    s.begin()
    s.start("terminal", ["script", "-qefc", "git -C shop commit; echo done", s.path("terminal.log")], env=env, talk=True)
    s.wait("there is a shell", lambda: s.child("terminal"))
    s.role("shell", s.child("terminal"))
    s.wait("vim runs", lambda: vim("terminal"))
    s.role("vim", vim("terminal"))
    s.role("victim", s.child("shell", "git"))
    s.wait("vim shows the message", lambda: "COMMIT_EDITMSG" in s.output("terminal") and waits("vim"))
    s.during("vim edits the message of git", lambda: "COMMIT_EDITMSG" in proc(s.pid("vim"), "cmdline") and
             s.pid("vim") in descendants(s.pid("victim")))
    s.during("vim waits for a key", lambda: waits("vim") and not s.uses_cpu("vim", 0.05, 0.2))
    s.during("git waits for its editor", lambda: s.wchan("victim") == "do_wait" and "done" not in s.output("terminal"))
    s.during("nothing is committed", lambda: not os.path.exists(s.path("shop/.git/refs/heads/master")))
    # The test is the user. script only passes keys on.
    s.hang(victim="victim", culprits=["vim", "test"], causes=["external", "slow-peer"], vague=["terminal", "shell"],
           wrong=["bystander", "bystander_vim"])
    yield

    def press(keys):
        s.processes["terminal"][0].stdin.write(keys)
        s.processes["terminal"][0].stdin.flush()

    press(b"icount again\x1b")
    s.wait("vim has the message", lambda: "count again" in s.output("terminal"))
    press(b":wq\r")
    s.went_on("git ends", lambda: "done" in s.output("terminal"))
    s.check("the commit is there", s.out(["git", "-C", "shop", "log", "--format=%s"]) == "count again")
