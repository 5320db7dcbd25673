# SPDX-License-Identifier: GPL-2.0-or-later
"""ssh-add waits for ssh-agent. The agent waits for a zenity that asks the user whether another client may use a key."""
import os

from scene import Invalid

HELD_OUT = True
NEEDS = {"ssh-agent": "openssh-client", "ssh-add": "openssh-client", "ssh-keygen": "openssh-client", "Xvfb": "xvfb",
         "zenity": "zenity", "xdotool": "xdotool", "xdpyinfo": "x11-utils"}
ASKPASS = """#!/bin/sh
exec zenity --question --title Keys --text "$1"
"""


def play(s):
    for name, text in ("askpass", ASKPASS), ("letter", "hello\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("askpass"), 0o755)
    s.out(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path("key")])
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    display = ":" + s.output("xvfb").split()[-1]
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.where, "GSETTINGS_BACKEND": "memory",
           "NO_AT_BRIDGE": "1", "GIO_USE_VFS": "local", "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + s.path("bus"),
           "SSH_ASKPASS": s.path("askpass")}

    def xdotool(*words):
        try:
            return s.out(["env", "DISPLAY=" + display, "xdotool", *words])
        except Invalid as e:  # there is no window yet
            raise ValueError(e) from None

    def client(agent, *cmd):
        return ["env", "SSH_AUTH_SOCK=" + s.path(agent + ".sock"), *cmd]

    for agent in "agent", "bystander":
        s.start(agent, ["ssh-agent", "-D", "-a", s.path(agent + ".sock")], env=env)
        s.wait("%s listens" % agent, lambda agent=agent: os.path.exists(s.path(agent + ".sock")))
        s.out(client(agent, "ssh-add", "-q", "-c", s.path("key")))
        s.check("%s has the key" % agent, "ED25519" in s.out(client(agent, "ssh-add", "-l")))
    os.remove(s.path("key"))
    s.start("signer", client("agent", "ssh-keygen", "-q", "-Y", "sign", "-f", s.path("key.pub"), "-n", "file", "letter"))
    s.wait("the agent asks", lambda: s.child("agent", "zenity"))
    s.role("zenity", s.child("agent", "zenity"))
    s.wait("the dialog is there", lambda: xdotool("search", "--onlyvisible", "--name", "Keys"))
    s.wait("zenity waits", lambda: s.syscall("zenity") == "poll" and not s.uses_cpu("zenity", 0.1, 0.2))

    s.begin()
    victim = s.start("victim", client("agent", "ssh-add", "-l"))
    s.wait("ssh-add waits", lambda: s.syscall("victim") in ("read", "poll"))
    s.during("ssh-add waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the agent reads the output of zenity", lambda: s.syscall("agent") == "read" and "pipe" in s.wchan("agent") and
             s.child("agent") == s.pid("zenity"))
    s.during("zenity waits for its user", lambda: s.state("zenity") == "S" and s.syscall("zenity") == "poll" and
             not s.uses_cpu("zenity", 0.1))
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", display]))
    s.during("the other agent answers", lambda: s.out(client("bystander", "ssh-add", "-l")))
    # The test plays the user.
    s.hang(victim="victim", culprits=["zenity", "test"], causes=["external", "slow-peer"], vague=["agent"],
           wrong=["signer", "xvfb", "bystander"])
    yield
    window = xdotool("search", "--onlyvisible", "--name", "Keys").split()[-1]
    xdotool("windowfocus", "--sync", window)
    xdotool("key", "Return")
    s.ended("victim")
    s.ended("signer")
    s.check("ssh-add has its answer", "ED25519" in s.output("victim"))
