# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for the only worker of starman. The worker reads the upload of another curl, in another network. This other curl
reads the file from a shell, whose user types nothing."""
import os
import subprocess

from scene import children, proc

HELD_OUT = False
NEEDS = {"starman": "starman", "perl": "perl", "curl": "curl", "unshare": "util-linux", "ip": "iproute2", "ss": "iproute2",
         "nsenter": "util-linux"}
NEAR, FAR = "10.213.79.1", "10.213.79.2"
SHOP = """
sub {
    my $env = shift;
    my ($n, $got) = (0, '');
    if ($env->{REQUEST_METHOD} eq 'PUT') {
        $n += length $got while $env->{'psgi.input'}->read($got, 8192);
    }
    return [200, ['Content-Type' => 'text/plain'], ["page $n"]];
}
"""
UPLOAD = "ip link set lo up; read go; sh writer <&0 | exec curl -sS -T - http://%s:%s/photo"
WRITER = "head -c 1000 /dev/zero; read go; head -c 1000 /dev/zero"


def play(s):
    port = s.port()
    for name, text in ("shop.psgi", SHOP), ("writer", WRITER), ("upload", UPLOAD % (NEAR, port)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    away = s.start("away", ["unshare", "-n", "sh", "upload"], talk=True)
    s.wait("the network is there", lambda: os.readlink("/proc/%d/ns/net" % away.pid) != os.readlink("/proc/self/ns/net") and
           s.syscall("away") == "read")
    s.callback(subprocess.run, ["ip", "link", "del", "ct-up-near"], stderr=subprocess.DEVNULL, check=False)
    s.out(["ip", "link", "add", "ct-up-near", "type", "veth", "peer", "name", "ct-up-far", "netns", away.pid])
    s.out(["ip", "addr", "add", NEAR + "/30", "dev", "ct-up-near"])
    s.out(["ip", "link", "set", "ct-up-near", "up"])
    for cmd in "addr add %s/30 dev ct-up-far" % FAR, "link set ct-up-far up":
        s.out(["nsenter", "-t", away.pid, "-n", "ip", *cmd.split()])
    s.start("starman", ["starman", "--workers", "1", "--listen", "0.0.0.0:" + port, "--disable-keepalive", "shop.psgi"])
    s.wait("starman listens", lambda: s.connects(port), 20)
    s.wait("it has its worker", lambda: len(children(s.pid("starman"))) == 1)
    s.role("worker", children(s.pid("starman"))[0])
    page = ["curl", "-sS", "http://127.0.0.1:%s/" % port]
    s.check("the page comes", s.out(page) == "page 0")

    def part(comm):
        return [p for p in children(away.pid) if proc(p, "comm") == comm + "\n"][0]

    s.begin()
    s.say("away", "go")
    s.wait("the upload runs", lambda: part("curl") and part("sh"))
    s.role("upload", part("curl"))
    s.role("writer", part("sh"))
    s.wait("the writer waits for its user", lambda: s.syscall("writer") == "read" and not children(s.pid("writer")))

    def connection():
        """What the worker and its client say about their connection: the bytes that wait in both queues."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dst", FAR]).splitlines()
        return [row.split()[:2] for row in rows if "pid=%d," % s.pid("worker") in row]

    s.wait("the worker has the connection", lambda: connection() == [["0", "0"]])
    victim = s.start("victim", page)

    def not_accepted():
        return s.out(["ss", "-tlnH", "sport = :" + port]).split()[1]

    s.wait("nobody accepts the connection", lambda: not_accepted() == "1")
    s.during("nobody accepts the connection", lambda: not_accepted() == "1")
    s.during("the worker waits for more of the upload", lambda: connection() == [["0", "0"]] and s.state("worker") == "S" and
             s.syscall("worker") in ("read", "select", "pselect6", "poll", "recvfrom"))
    s.during("the other curl waits for the writer", lambda: s.state("upload") == "S" and
             os.readlink("/proc/%d/fd/0" % s.pid("upload")) == os.readlink("/proc/%d/fd/1" % s.pid("writer")))
    s.during("the writer waits for its user", lambda: s.syscall("writer") == "read" and not children(s.pid("writer")))
    s.during("both are in the other network", lambda: os.readlink("/proc/%d/ns/net" % s.pid("upload")) ==
             os.readlink("/proc/%d/ns/net" % away.pid) != os.readlink("/proc/%d/ns/net" % s.pid("worker")))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    # The test is the user.
    s.hang(victim="victim", culprits=["writer", "test"], causes=["external", "slow-peer", "queueing"],
           vague=["upload", "worker"], wrong=["starman", "away"])
    yield
    s.say("away", "go")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page 0")
    s.ended("away")
    s.check("the upload came", "page 2000" in s.output("away"))
