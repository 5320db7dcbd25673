# SPDX-License-Identifier: GPL-2.0-or-later
"""tar writes a backup to ssh, and waits. SIGSTOP has stopped the tar that sshd runs at the other end."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client", "tar": "tar"}
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
    ssh = ["ssh", "-F", "none", "-i", s.path("user"), "-p", port, "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
           "-o", "UserKnownHostsFile=" + s.path("known"), "root@127.0.0.1"]
    s.check("sshd runs a command", s.out([*ssh, "echo hello"]) == "hello")
    for name in "papers", "there":
        os.mkdir(s.path(name))
    with open(s.path("papers/book"), "wb") as f:
        for _ in range(40):
            f.write(os.urandom(1 << 20))
    s.out(["mkfifo", "pipe"])
    hold = os.open(s.path("pipe"), os.O_RDWR)  # ssh begins before there is a backup

    def remote(client, comm):
        """Makes roles of the program that sshd runs, and of its sshd. Returns true when both are there."""
        for pid in s.living():
            if proc(pid, "comm") == comm + "\n" and pid not in (p for p, _ in s.roles.values()):
                s.role("remote-" + client, pid)
                s.role("sshd-" + client, int(proc(pid, "status").partition("PPid:")[2].split()[0]))
                return proc(s.pid("sshd-" + client), "comm") == "sshd\n"
        return False

    s.start("bystander", [*ssh, "exec sleep 60"])
    s.wait("the other command runs", lambda: remote("bystander", "sleep"))
    s.start("ssh", ["sh", "-c", 'exec "$@" <pipe', "sh", *ssh, "exec tar -C %s -xf -" % s.path("there")])
    s.wait("the remote tar runs", lambda: remote("ssh", "tar"))
    s.wait("the remote tar reads", lambda: s.syscall("remote-ssh") == "read")

    s.begin()
    os.kill(s.pid("remote-ssh"), signal.SIGSTOP)
    s.wait("the remote tar stops", lambda: s.state("remote-ssh") == "T")
    victim = s.start("victim", ["sh", "-c", "exec tar -cf - papers >pipe"])
    s.wait("tar is there", lambda: proc(victim.pid, "comm") == "tar\n")
    os.close(hold)
    s.wait("tar waits in a write", lambda: s.syscall("victim") == "write" and not s.uses_cpu("victim", 0.01))
    s.during("the remote tar is stopped", lambda: s.state("remote-ssh") == "T")
    s.during("tar waits in a write to the pipe", lambda: victim.poll() is None and s.syscall("victim") == "write" and
             "pipe" in s.wchan("victim"))
    s.during("ssh and its sshd are idle", lambda: s.state("ssh") == s.state("sshd-ssh") == "S" and
             not s.uses_cpu("ssh", 0.01, 0.2) and not s.uses_cpu("sshd-ssh", 0.01, 0.2))
    s.during("sshd runs another command", lambda: s.out([*ssh, "echo hello"]) == "hello")
    s.hang(victim="victim", culprits=["remote-ssh", "test"], causes=["stopped"], vague=["ssh", "sshd-ssh"],
           wrong=["sshd", "bystander", "remote-bystander", "sshd-bystander"])
    yield
    os.kill(s.pid("remote-ssh"), signal.SIGCONT)
    s.ended("victim")
    s.ended("ssh")
    s.check("the backup is whole", os.path.getsize(s.path("there/papers/book")) == 40 << 20)
