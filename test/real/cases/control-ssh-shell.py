# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: an ssh session is idle. The remote shell waits for the next command, and answers it at once."""
import os

from scene import proc

HELD_OUT = True
NEEDS = {"sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client"}
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
    s.start("client", ["ssh", "-F", "none", "-i", s.path("user"), "-p", port, "-o", "StrictHostKeyChecking=no", "-o",
                       "BatchMode=yes", "-o", "UserKnownHostsFile=" + s.path("known"), "root@127.0.0.1", "exec sh"], talk=True)
    s.say("client", "echo hello")
    s.wait("the remote shell answers", lambda: "hello" in s.output("client"))
    shell = [pid for pid in s.living() if proc(pid, "comm") == "sh\n" and pid != s.pid("client")]
    s.check("there is one remote shell", len(shell) == 1)
    s.role("shell", shell[0])
    s.role("server", int(proc(shell[0], "status").partition("PPid:")[2].split()[0]))

    s.begin()
    s.during("the remote shell waits for a command", lambda: s.state("shell") == "S" and s.syscall("shell") == "read")
    s.during("ssh and its sshd sleep", lambda: s.state("client") == s.state("server") == "S")
    # The user does not type.
    s.normal(victim="client", causes=["external", "timer"])
    yield
    s.say("client", "echo again")
    s.went_on("the remote shell answers", lambda: "again" in s.output("client"))
