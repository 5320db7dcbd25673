# SPDX-License-Identifier: GPL-2.0-or-later
"""ssh talks to a host through a jump host (ssh -W), and waits. SIGSTOP has stopped its session's sshd on the jump host."""
import os
import signal

from scene import children

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
    ports = {"jump": s.port(), "there": s.port()}
    for key in "host", "user":
        s.out(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(key)])
    if not os.path.isdir("/run/sshd"):  # sshd wants this directory
        os.mkdir("/run/sshd", 0o755)
        s.callback(os.rmdir, "/run/sshd")
    for name, port in ports.items():
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(SSHD % (port, s.path("host"), s.path("user.pub")))
        s.start(name, ["sshd", "-D", "-e", "-f", s.path(name)])
        s.wait("sshd listens", lambda port=port: s.connects(port))
    words = ["ssh", "-F", "none", "-i", s.path("user"), "-o", "StrictHostKeyChecking=no", "-o", "BatchMode=yes",
             "-o", "UserKnownHostsFile=" + s.path("known")]
    proxy = "%s -p %s -W %%h:%%p root@127.0.0.1" % (" ".join(words), ports["jump"])
    loop = "while read x; do echo got $x; done"

    def sessions(name):
        return set(children(s.pid(name)))

    def through(role):
        before = {name: sessions(name) for name in ports}
        p = s.start(role, [*words, "-p", ports["there"], "-o", "ProxyCommand=" + proxy, "root@127.0.0.1", loop], talk=True)
        s.say(role, "a")
        s.wait("the loop answers", lambda: "got a" in s.output(role))
        s.role(role + "_proxy", s.child(role))
        for name in ports:
            new = sessions(name) - before[name]
            s.check("there is one new session", len(new) == 1)
            s.role(role + "_" + name, new.pop())
        return p

    through("bystander")
    victim = through("victim")

    s.begin()
    os.kill(s.pid("victim_jump"), signal.SIGSTOP)
    s.wait("the session stops", lambda: s.state("victim_jump") == "T")
    s.say("victim", "b")

    def other_answers():
        n = s.output("bystander").count("got c")
        s.say("bystander", "c")
        s.wait("the other ssh has an answer", lambda: s.output("bystander").count("got c") == n + 1, 3)
        return True

    s.during("the session on the jump host is stopped", lambda: s.state("victim_jump") == "T")
    s.during("ssh waits", lambda: victim.poll() is None and s.state("victim") == "S" and "got b" not in s.output("victim"))
    s.during("another ssh has its answers by the same way", other_answers)
    s.hang(victim="victim", culprits=["victim_jump", "test"], causes=["stopped"], vague=["victim_proxy"],
           wrong=["jump", "there", "victim_there", "bystander", "bystander_jump", "bystander_there", "bystander_proxy"])
    yield
    os.kill(s.pid("victim_jump"), signal.SIGCONT)
    s.went_on("ssh has its answer", lambda: "got b" in s.output("victim"))
