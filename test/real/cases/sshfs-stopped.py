# SPDX-License-Identifier: GPL-2.0-or-later
"""cat reads a file of an sshfs mount. sshfs waits for its sftp-server, which SIGSTOP has stopped."""
import os
import signal
import subprocess

from scene import proc

HELD_OUT = False
NEEDS = {"sshfs": "sshfs", "/usr/lib/openssh/sftp-server": "openssh-sftp-server"}


def play(s):
    # sshfs runs this program instead of ssh.
    with open(s.path("ssh"), "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nexec /usr/lib/openssh/sftp-server\n")
    os.chmod(s.path("ssh"), 0o755)
    for name in "sshfs", "bystander":
        source, there = s.path(name + ".source"), s.path(name + ".mount")
        os.mkdir(source)
        os.mkdir(there)
        for page in "first", "second":
            with open(os.path.join(source, page), "w", encoding="ascii") as f:
                f.write("hello\n")
        s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
        s.start(name, ["sshfs", "-f", "-o", "ssh_command=" + s.path("ssh"), "localhost:" + source, there])
        s.wait("%s is mounted" % name, lambda there=there: os.path.ismount(there))
        s.role(name + "-server", next(pid for pid in s.living() if proc(pid, "comm") == "sftp-server\n" and
                                      pid not in (p for p, _ in s.roles.values())))
        s.check("a file can be read", s.out(["cat", os.path.join(there, "first")]) == "hello")

    s.begin()
    server = s.pid("sshfs-server")
    os.kill(server, signal.SIGSTOP)
    s.wait("sftp-server stops", lambda: s.state("sshfs-server") == "T")
    victim = s.start("victim", ["cat", os.path.join(s.path("sshfs.mount"), "second")])
    s.wait("cat waits for sshfs", lambda: "request_wait_answer" in s.wchan("victim"))
    s.during("sftp-server is stopped", lambda: s.state("sshfs-server") == "T")
    s.during("cat waits for sshfs", lambda: victim.poll() is None and "request_wait_answer" in s.wchan("victim"))
    s.during("sshfs runs, and is idle", lambda: s.state("sshfs") == "S" and not s.uses_cpu("sshfs", 0.01))
    s.during("the other mount works", lambda: s.out(["cat", os.path.join(s.path("bystander.mount"), "second")]) == "hello")
    s.hang(victim="victim", culprits=["sshfs-server", "test"], causes=["stopped"], vague=["sshfs"],
           wrong=["bystander", "bystander-server"])
    yield
    os.kill(server, signal.SIGCONT)
    s.ended("victim")
    s.check("cat has the page", s.output("victim") == "hello\n")
