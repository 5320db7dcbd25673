# SPDX-License-Identifier: GPL-2.0-or-later
"""gpg waits for gpg-agent, which waits for pinentry. pinentry waits until its user types the passphrase."""
import os

from scene import proc

HELD_OUT = True
NEEDS = {"gpg": "gpg", "gpg-agent": "gpg-agent", "gpgconf": "gpgconf", "pinentry-curses": "pinentry-curses",
         "script": "bsdutils"}


def play(s):
    home = "/var/tmp/gpg-%d" % os.getpid()  # short, because the path of a unix socket has at most 107 bytes
    os.mkdir(home, 0o700)
    s.callback(s.out, ["rm", "-rf", home])
    env = {**os.environ, "GNUPGHOME": home, "TERM": "xterm", "LC_ALL": "C", "LINES": "24", "COLUMNS": "80"}
    env.pop("DISPLAY", None)
    with open(os.path.join(home, "gpg-agent.conf"), "w", encoding="ascii") as f:
        f.write("pinentry-program /usr/bin/pinentry-curses\nno-grab\n")
    with open(s.path("letter"), "w", encoding="ascii") as f:
        f.write("hello\n")
    # gpg-agent forks: the parent executes sleep(1), the child is the agent. The agent ends with its parent.
    s.start("keeper", ["gpg-agent", "--daemon", "sleep", "600"], env=env)
    s.wait("the agent runs", lambda: s.child("keeper", "gpg-agent"))
    s.role("agent", s.child("keeper", "gpg-agent"))
    s.wait("the agent has its socket", lambda: os.path.exists(
        s.out(["env", "GNUPGHOME=" + home, "gpgconf", "--list-dirs", "agent-socket"])))
    s.out(["env", "GNUPGHOME=" + home, "gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", "open", "-o",
           "letter.gpg", "-c", "letter"])
    # The agent must not remember the passphrase.
    s.out(["env", "GNUPGHOME=" + home, "gpgconf", "--reload", "gpg-agent"])

    s.begin()
    s.start("terminal", ["script", "-qefc", "export GPG_TTY=$(tty); exec gpg -d letter.gpg", s.path("terminal.log")],
            env=env, talk=True)
    s.wait("script has a child", lambda: s.child("terminal"))
    s.wait("the shell becomes gpg", lambda: proc(s.child("terminal"), "comm") == "gpg\n")
    s.role("victim", s.child("terminal"))
    s.wait("the agent starts pinentry", lambda: s.child("agent", "pinentry-curses"))
    s.role("pinentry", s.child("agent", "pinentry-curses"))
    s.wait("pinentry asks", lambda: "Passphrase" in s.output("terminal"))
    s.wait("pinentry waits for a key", lambda: s.state("pinentry") == "S" and not s.uses_cpu("pinentry", 0.02))
    keys = "read", "select", "pselect6", "poll", "ppoll"
    s.during("pinentry waits for a key", lambda: s.state("pinentry") == "S" and s.syscall("pinentry") in keys)
    s.during("pinentry has the terminal of gpg", lambda: any(
        os.readlink("/proc/%d/fd/%s" % (s.pid("pinentry"), fd)) == os.readlink("/proc/%d/fd/0" % s.pid("victim"))
        for fd in os.listdir("/proc/%d/fd" % s.pid("pinentry"))))
    s.during("gpg waits", lambda: s.state("victim") == "S" and "hello" not in s.output("terminal"))
    # The test is the user, and types nothing. script only passes keys on.
    s.hang(victim="victim", culprits=["pinentry", "test"], causes=["external", "slow-peer"], vague=["agent", "terminal"],
           wrong=["keeper"])
    yield
    s.processes["terminal"][0].stdin.write(b"open\r")
    s.processes["terminal"][0].stdin.flush()
    s.went_on("gpg has decrypted the letter", lambda: "hello" in s.output("terminal"))
