# SPDX-License-Identifier: GPL-2.0-or-later
"""ssh does not come back, although its command has ended. The command has started mosquitto in the background, which has
inherited the pipe for the output. sshd ends the session when this pipe is closed."""
import os

from scene import children, find_program, proc

HELD_OUT = False
NEEDS = {"sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client", "mosquitto": "mosquitto"}
SSHD = """Port %s
ListenAddress 127.0.0.1
HostKey %s
AuthorizedKeysFile %s
StrictModes no
PidFile none
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
"""
CONF = "listener %s 127.0.0.1\nallow_anonymous true\nuser root\npersistence false\n"


def play(s):
    port = s.port()
    for key in "host", "user":
        s.out(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(key)])
    for name, text in ("sshd_config", SSHD % (port, s.path("host"), s.path("user.pub"))), ("victim.conf", CONF % s.port()), \
            ("good.conf", CONF % s.port()):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    if not os.path.isdir("/run/sshd"):  # sshd wants this directory
        os.mkdir("/run/sshd", 0o755)
        s.callback(os.rmdir, "/run/sshd")
    s.start("sshd", ["sshd", "-D", "-e", "-f", s.path("sshd_config")])
    s.wait("sshd answers", lambda: s.connects(port))

    def deploy(name, where):
        return ["ssh", "-F", "none", "-i", s.path("user"), "-p", port, "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
                "-o", "IdentitiesOnly=yes", "-o", "UserKnownHostsFile=" + s.path("known"), "root@127.0.0.1",
                "cd %s; %s -c %s.conf %s & echo $! >%s.pid; echo started" % (
                    s.where, find_program("mosquitto"), name, where, name)]

    def broker(role, name):
        with open(s.path(name + ".pid"), encoding="ascii") as f:
            s.role(role, int(f.read()))
        s.wait("mosquitto runs", lambda: proc(s.pid(role), "comm") == "mosquitto\n")

    good = s.start("good", deploy("good", "</dev/null >good.log 2>&1"))  # this mosquitto does not inherit the pipe
    s.wait("ssh comes back", lambda: good.poll() is not None)
    s.check("mosquitto is started", good.returncode == 0 and s.output("good").endswith("started\n"))
    broker("bystander", "good")
    before = children(s.pid("sshd"))

    s.begin()
    victim = s.start("victim", deploy("victim", "</dev/null"))
    s.wait("the command has run", lambda: "started\n" in s.output("victim"))
    broker("mosquitto", "victim")
    sessions = [pid for pid in children(s.pid("sshd")) if pid not in before]
    s.check("there is one session", len(sessions) == 1)
    s.role("session", sessions[0])
    s.wait("the shell has ended", lambda: not s.child("session"))

    def files(role):
        found = set()
        for fd in os.listdir("/proc/%d/fd" % s.pid(role)):
            found.add(os.readlink("/proc/%d/fd/%s" % (s.pid(role), fd)))
        return {f for f in found if f.startswith("pipe:")}

    s.during("the session has no process left", lambda: not s.child("session"))
    s.during("the session reads a pipe that mosquitto has", lambda: files("session") & files("mosquitto") and
             s.state("session") == "S" and s.syscall("session") in ("poll", "ppoll", "select", "pselect6"))
    s.during("ssh waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("poll", "ppoll", "select", "pselect6"))
    s.during("mosquitto is idle", lambda: s.state("mosquitto") == "S" and not s.uses_cpu("mosquitto", 0.05, 0.2))
    s.hang(victim="victim", culprits=["mosquitto"], causes=["slow-peer", "external", "timer", "missing-wakeup", "polling"],
           vague=["session"], wrong=["sshd", "bystander", "test"])
    yield
    os.kill(s.pid("mosquitto"), 15)
    s.ended("victim")
