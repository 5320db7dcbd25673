# SPDX-License-Identifier: GPL-2.0-or-later
"""ssh waits for its command. sshd first runs a gate script (ForceCommand), which looks for a file again and again."""
import os

from scene import children, descendants, find_program, proc

HELD_OUT = False
NEEDS = {"sshd": "openssh-server", "ssh": "openssh-client", "ssh-keygen": "openssh-client", "perl": "perl"}
SSHD = """Port %s
ListenAddress 127.0.0.1
HostKey %s
AuthorizedKeysFile %s
StrictModes no
ForceCommand exec %s %s %s
PidFile none
UsePAM no
PermitRootLogin prohibit-password
PasswordAuthentication no
"""
GATE = """
chdir $ARGV[0] or die;
select(undef, undef, undef, 0.1) until -e 'ready';
exec $ENV{SSH_ORIGINAL_COMMAND} or die;
"""


def play(s):
    port = s.port()
    for key in "host", "user":
        s.out(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(key)])
    gate = find_program("perl"), s.path("gate"), s.where
    for name, text in (("sshd_config", SSHD % (port, s.path("host"), s.path("user.pub"), *gate)), ("gate", GATE),
                       ("ready", "")):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    if not os.path.isdir("/run/sshd"):  # sshd wants this directory
        os.mkdir("/run/sshd", 0o755)
        s.callback(os.rmdir, "/run/sshd")
    s.start("sshd", ["sshd", "-D", "-e", "-f", s.path("sshd_config")])
    s.wait("sshd answers", lambda: s.connects(port))
    ssh = ["ssh", "-F", "none", "-i", s.path("user"), "-p", port, "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
           "-o", "IdentitiesOnly=yes", "-o", "UserKnownHostsFile=" + s.path("known"), "root@127.0.0.1"]
    s.check("sshd runs a command", s.out([*ssh, "echo hello"]) == "hello")
    s.start("bystander", [*ssh, "exec sleep 60"])
    s.wait("the other command runs", lambda: any(proc(pid, "comm") == "sleep\n" for pid in descendants(s.pid("sshd"))))
    before = descendants(s.pid("sshd"))
    for i, pid in enumerate(before):
        s.role("bystander%d" % i, pid)
    os.remove(s.path("ready"))

    s.begin()
    victim = s.start("victim", [*ssh, "echo hello"])

    def script():
        for session in set(children(s.pid("sshd"))) - set(before):
            for pid in children(session):
                if proc(pid, "comm") == "perl\n":
                    s.role("session", session)
                    return s.role("script", pid)
        return None

    s.wait("the script runs", script)
    s.wait("the script waits for its file", lambda: s.syscall("script") in ("select", "pselect6"))
    calls = [0]

    def looks():
        """The script sleeps after each look for its file: a voluntary context switch."""
        before, calls[0] = calls[0], int(proc(s.pid("script"), "status").partition("\nvoluntary_ctxt_switches:")[2].split()[0])
        return calls[0] > before and not os.path.exists(s.path("ready")) and not s.uses_cpu("script", 0.05)

    s.during("the script looks for its file", looks)
    s.during("sshd waits for the script", lambda: s.state("session") == "S" and not s.uses_cpu("session", 0.05) and
             s.child("session", "perl") == s.pid("script"))
    s.during("ssh waits", lambda: victim.poll() is None and s.state("victim") == "S" and not s.uses_cpu("victim", 0.05))
    s.hang(victim="victim", culprits=["script", "test"], causes=["polling", "timer"], vague=["session"],
           wrong=["sshd", "bystander", *("bystander%d" % i for i in range(len(before)))])
    yield
    with open(s.path("ready"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.check("ssh has its answer", s.output("victim").endswith("hello\n"))
