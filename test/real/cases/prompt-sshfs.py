# SPDX-License-Identifier: GPL-2.0-or-later
"""A bash shows no new prompt: for its prompt, it runs git, which reads a file of an sshfs mount. The ssh of this mount waits
for the server, because the link (veth) to the network of the server is down."""
import os
import subprocess

from scene import children, descendants, find_program, proc

HELD_OUT = False
NEEDS = {"bash": "bash", "git": "git", "script": "bsdutils", "sshfs": "sshfs", "sshd": "openssh-server",
         "ssh": "openssh-client", "ssh-keygen": "openssh-client", "unshare": "util-linux", "nsenter": "util-linux",
         "ip": "iproute2", "ss": "iproute2"}
SECONDS = 4  # TCP may try again ever more rarely, so a longer hang may end much later
NEAR, FAR = "10.213.79.5", "10.213.79.6"
SSHD = """Port %(port)s
ListenAddress %(far)s
HostKey %(where)s/host
AuthorizedKeysFile %(where)s/user.pub
PidFile none
UsePAM no
UseDNS no
StrictModes no
PermitRootLogin prohibit-password
PasswordAuthentication no
Subsystem sftp internal-sftp
"""


def play(s):
    port = s.port()
    for key in "host", "user":
        s.out(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", s.path(key)])
    with open(s.path("sshd_config"), "w", encoding="ascii") as f:
        f.write(SSHD % {"port": port, "far": FAR, "where": s.where})
    if not os.path.isdir("/run/sshd"):  # sshd wants this directory
        os.mkdir("/run/sshd", 0o755)
        s.callback(os.rmdir, "/run/sshd")
    sshd = s.start("sshd", ["unshare", "-n", "sh", "-c", "ip link set lo up && read go && exec \"$@\"", "sh",
                            find_program("sshd"), "-D", "-e", "-f", s.path("sshd_config")], talk=True)
    s.wait("the network is there", lambda: os.readlink("/proc/%d/ns/net" % sshd.pid) != os.readlink("/proc/self/ns/net") and
           s.syscall("sshd") == "read")
    s.callback(subprocess.run, ["ip", "link", "del", "ct-vpn-near"], stderr=subprocess.DEVNULL, check=False)
    s.out(["ip", "link", "add", "ct-vpn-near", "type", "veth", "peer", "name", "ct-vpn-far", "netns", sshd.pid])

    def far(*args):
        return s.out(["nsenter", "-t", sshd.pid, "-n", *args])

    s.out(["ip", "addr", "add", NEAR + "/30", "dev", "ct-vpn-near"])
    s.out(["ip", "link", "set", "ct-vpn-near", "up"])
    far("ip", "addr", "add", FAR + "/30", "dev", "ct-vpn-far")
    far("ip", "link", "set", "ct-vpn-far", "up")
    s.say("sshd", "go")
    s.wait("sshd listens", lambda: port in far("ss", "-tlnH"))
    env = {**os.environ, "HOME": s.where, "GIT_CONFIG_NOSYSTEM": "1", "TERM": "dumb", "LC_ALL": "C"}
    s.out(["env", "HOME=" + s.where, "git", "init", "-q", "-b", "stock", "there"])
    s.out(["env", "HOME=" + s.where, "git", "-C", "there", "-c", "user.name=clerk", "-c", "user.email=clerk@test.example",
           "commit", "-q", "--allow-empty", "-m", "count"])
    mount = s.path("mount")
    os.mkdir(mount)
    for name, text in (".gitconfig", "[safe]\n\tdirectory = *\n"), ("bashrc", "PS1='[$(git branch)] '\nHISTFILE=\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.callback(subprocess.run, ["umount", "-l", mount], stderr=subprocess.DEVNULL, check=False)
    s.start("sshfs", ["sshfs", "-f", "-F", "/dev/null", "-p", port, "-o", "IdentityFile=" + s.path("user"),
                      "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=" + s.path("known"), "-o", "BatchMode=yes",
                      "root@%s:%s" % (FAR, s.path("there")), mount])
    s.wait("sshfs is mounted", lambda: os.path.ismount(mount))
    s.role("ssh", next(p for p in descendants(s.pid("sshfs")) + children(os.getpid()) if proc(p, "comm") == "ssh\n"))
    s.start("terminal", ["script", "-qefc", "exec bash --rcfile %s -i" % s.path("bashrc"), s.path("log")], env=env,
            cwd=mount, talk=True)
    s.wait("bash shows its prompt", lambda: s.output("terminal").count("stock]") == 1)
    victim = s.role("victim", next(p for p in descendants(s.pid("terminal")) if proc(p, "comm") == "bash\n"))
    s.wait("bash waits for a line", lambda: not s.child("victim") and s.state("victim") == "S")

    def unanswered():
        """The bytes that ssh sent, and that the server's TCP has not acknowledged."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dst", "%s:%s" % (FAR, port)]).splitlines()
        return next((int(row.split()[1]) for row in rows if "pid=%d," % s.pid("ssh") in row), 0)

    def git():
        """The process of git that waits for the mount."""
        return [p for p in descendants(victim) if proc(p, "comm") == "git\n" and "request_wait_answer" in proc(p, "wchan")][0]

    s.begin()
    far("ip", "link", "set", "ct-vpn-far", "down")
    s.processes["terminal"][0].stdin.write(b"echo $((40 + 2))\n")
    s.processes["terminal"][0].stdin.flush()
    s.wait("the command has run", lambda: "42" in s.output("terminal"))
    s.wait("git waits for the mount", git)
    s.role("git", git())
    s.wait("a question of ssh is on its way", lambda: unanswered() > 0)
    s.during("the question has not arrived", lambda: unanswered() > 0)
    s.during("the link is down", lambda: "state DOWN" in far("ip", "-o", "link", "show", "ct-vpn-far"))
    s.during("ssh waits", lambda: s.state("ssh") == "S" and not s.uses_cpu("ssh", 0.02, 0.2))
    s.during("git waits for the mount", lambda: git() == s.pid("git"))
    s.during("bash waits for git", lambda: s.state("victim") == "S" and s.output("terminal").count("stock]") == 1)
    s.hang(victim="victim", culprits=["ssh"], causes=["network"], vague=["sshfs"], stuck=["git"],
           wrong=["sshd", "terminal", "test"])
    yield
    far("ip", "link", "set", "ct-vpn-far", "up")
    s.went_on("bash shows its prompt", lambda: s.output("terminal").count("stock]") == 2)
    s.processes["terminal"][0].stdin.write(b"exit\n")
    s.processes["terminal"][0].stdin.flush()
    s.ended("terminal")
