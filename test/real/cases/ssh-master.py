# SPDX-License-Identifier: GPL-2.0-or-later
"""ssh waits for the master of its shared connection (ControlMaster), another ssh. SIGSTOP has stopped the master."""
import os
import signal

HELD_OUT = False
NEEDS = {"sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client", "ss": "iproute2"}
SSHD = """Port %s
ListenAddress 127.0.0.1
HostKey %s
AuthorizedKeysFile %s
PidFile none
UsePAM no
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
"""


def play(s):
    port = s.port()
    for key in "host", "user":
        s.out(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(key)])
    with open(s.path("sshd_config"), "w", encoding="ascii") as f:
        f.write(SSHD % (port, s.path("host"), s.path("user.pub")))
    if not os.path.isdir("/run/sshd"):  # sshd wants this directory
        os.mkdir("/run/sshd", 0o755)
        s.callback(os.rmdir, "/run/sshd")
    s.start("sshd", ["sshd", "-D", "-e", "-f", s.path("sshd_config")])
    s.wait("sshd answers", lambda: s.connects(port))

    def ssh(master, *args):
        return ["ssh", "-F", "none", "-i", s.path("user"), "-p", port, "-o", "StrictHostKeyChecking=no", "-o",
                "BatchMode=yes", "-o", "UserKnownHostsFile=" + s.path("known"), "-S", s.path(master + ".sock"), *args]

    for name in "master", "bystander":
        s.start(name, ssh(name, "-M", "-N", "root@127.0.0.1"))
        s.wait("%s has its socket" % name, lambda name=name: os.path.exists(s.path(name + ".sock")))
        s.check("%s runs a command" % name, s.out(ssh(name, "root@127.0.0.1", "echo hello")) == "hello")

    s.begin()
    os.kill(s.pid("master"), signal.SIGSTOP)
    s.wait("the master stops", lambda: s.state("master") == "T")
    victim = s.start("victim", ssh("master", "root@127.0.0.1", "echo hello"))
    calls = "read", "poll", "ppoll", "recvfrom", "write", "sendmsg"
    s.wait("ssh waits", lambda: s.syscall("victim") in calls and not s.uses_cpu("victim", 0.01))
    s.during("the master is stopped", lambda: s.state("master") == "T")
    s.during("ssh waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.syscall("victim") in calls)
    s.during("ssh has no connection to sshd, but only one to the master", lambda: not any(
        "pid=%d," % victim.pid in line for line in s.out(["ss", "-tnpH"]).splitlines()) and any(
        "pid=%d," % victim.pid in line for line in s.out(["ss", "-xpH"]).splitlines()))
    s.during("sshd runs another command", lambda: s.out(ssh("bystander", "root@127.0.0.1", "echo hello")) == "hello")
    s.hang(victim="victim", culprits=["master", "test"], causes=["stopped"], wrong=["sshd", "bystander"])
    yield
    os.kill(s.pid("master"), signal.SIGCONT)
    s.ended("victim")
    s.check("the command ran", s.output("victim").strip() == "hello")
