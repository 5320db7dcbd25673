# SPDX-License-Identifier: GPL-2.0-or-later
"""crun shall start a container, and waits for a hook. The hook asks a server for an address by UDP, and this server is
stopped."""
import json
import os
import signal
import subprocess

HELD_OUT = True
NEEDS = {"crun": "crun", "gcc": "gcc", "perl": "perl", "unshare": "util-linux", "mountpoint": "util-linux",
         "ss": "iproute2"}
ADDRESSES = """
use IO::Socket::INET;
my $c = IO::Socket::INET->new(Proto => "udp", LocalAddr => "127.0.0.1:$ARGV[0]") or die;
my $n = 2;
while (my $from = $c->recv(my $asked, 512)) {
    $c->send("10.213.80." . $n++, 0, $from);
}
"""
# crun knows control groups of version 1 or 2, not both.
ROOM = """
if mountpoint -q /sys/fs/cgroup/unified; then umount -l /sys/fs/cgroup/unified; fi
exec "$@"
"""
JOB = """
#include <stdio.h>
int main(void) { puts("job done"); return 0; }
"""
HOOK = """
use IO::Socket::INET;
my $state = join "", <STDIN>;
my $c = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1:$ARGV[0]") or die;
$c->send("address");
$c->recv(my $address, 512) or die;
open(my $f, ">", "$ARGV[1]/hosts") or die;
print $f "$address\\n";
"""


def play(s):
    rootfs = s.path("bundle/rootfs")
    for name in "dev", "proc", "sys", "etc":
        os.makedirs(os.path.join(rootfs, name))
    ports = {"addresses": s.port(), "bystander": s.port()}
    for name, text in ("addresses.pl", ADDRESSES), ("room", ROOM), ("hook.pl", HOOK), ("job.c", JOB):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["gcc", "-static", "-o", rootfs + "/job", "job.c"])
    namespaces = [{"type": name} for name in ("pid", "mount", "ipc", "uts", "network")]
    config = {"ociVersion": "1.0.2", "root": {"path": "rootfs"}, "hostname": "job",
              "process": {"args": ["/job"], "cwd": "/", "user": {"uid": 0, "gid": 0}, "env": ["PATH=/"]},
              "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"}],
              "hooks": {"createRuntime": [{"path": "/usr/bin/perl", "args": [
                  "perl", s.path("hook.pl"), ports["addresses"], s.where], "env": ["PATH=/usr/bin:/bin"]}]},
              "linux": {"namespaces": namespaces}}
    with open(s.path("bundle/config.json"), "w", encoding="ascii") as f:
        json.dump(config, f)
    for role, port in ports.items():
        s.start(role, ["perl", "addresses.pl", port])
        s.wait("%s listens" % role, lambda port=port: s.out(["ss", "-ulnH", "sport = :" + port]))

    def crun(name):
        s.callback(subprocess.run, ["crun", "--root", s.path("state"), "delete", "-f", name], stderr=subprocess.DEVNULL,
                   check=False)
        return ["unshare", "-m", "sh", "room", "crun", "--root", s.path("state"), "--cgroup-manager=disabled", "run",
                "--bundle", s.path("bundle"), name]

    s.check("a container runs", s.out(crun("ct-first-" + ports["addresses"])) == "job done")
    with open(s.path("hosts"), encoding="ascii") as f:
        s.check("it had an address", f.read() == "10.213.80.2\n")

    s.begin()
    os.kill(s.pid("addresses"), signal.SIGSTOP)
    s.wait("the server stops", lambda: s.state("addresses") == "T")
    victim = s.start("victim", crun("ct-second-" + ports["addresses"]))
    s.wait("the hook runs", lambda: s.child("victim", "perl"))
    s.role("hook", s.child("victim", "perl"))

    def unread(role):
        return int(s.out(["ss", "-uanH", "sport = :" + ports[role]]).split()[1])

    s.wait("the server has not read the question", lambda: unread("addresses") > 0)
    s.during("the server is stopped, and has not read the question", lambda: s.state("addresses") == "T" and
             unread("addresses") > 0)
    s.during("the hook waits for its answer", lambda: s.syscall("hook") == "recvfrom" and s.state("hook") == "S")
    s.during("crun waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["addresses", "test"], causes=["stopped"], vague=["hook"], wrong=["bystander"])
    yield
    os.kill(s.pid("addresses"), signal.SIGCONT)
    s.ended("victim")
    s.check("the container ran", s.output("victim") == "job done\n")
