# SPDX-License-Identifier: GPL-2.0-or-later
"""A Go program waits for a perl server that serves one client at a time. perl reads from its first client, an idle nc."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"go": "golang-go", "perl": "perl", "nc": "netcat-openbsd", "ss": "iproute2"}

ASK = """
package main

import (
    "bufio"
    "fmt"
    "net"
    "os"
    "sync"
)

func main() {
    var group sync.WaitGroup
    answers := make([]string, len(os.Args)-1)
    for i, port := range os.Args[1:] {
        group.Add(1)
        go func(i int, port string) {
            defer group.Done()
            c, err := net.Dial("tcp", "127.0.0.1:"+port)
            if err != nil {
                os.Exit(3)
            }
            fmt.Fprintln(c, "parcel")
            answers[i], _ = bufio.NewReader(c).ReadString('\\n')
        }(i, port)
    }
    group.Wait()
    fmt.Print(answers)
}
"""
SHOP = """
use IO::Socket;
my $shop = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$ARGV[0]", Listen => 9, ReuseAddr => 1) or die;
while (my $client = $shop->accept) {
    print $client "sold $_" while <$client>;
}
"""


def play(s):
    with open(s.path("ask.go"), "w", encoding="ascii") as f:
        f.write(ASK)
    with open(s.path("shop.pl"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.out(["env", "HOME=" + s.where, "GOCACHE=" + s.path("gocache"), "GO111MODULE=off", "CGO_ENABLED=0", "go", "build",
           "-o", "ask", "ask.go"], timeout=180)
    ports = {name: s.port() for name in ("shop", "bystander")}
    for name, port in ports.items():
        s.start(name, ["perl", "shop.pl", port])
        s.wait("%s answers" % name, lambda port=port: s.connects(port))
    s.start("nc", ["nc", "-N", "127.0.0.1", ports["shop"]], talk=True)
    s.check("the shop serves nc", s.ask("nc", "letter") == "sold letter")

    def queued():
        """How many connections the shop has not accepted."""
        return int(s.out(["ss", "-ltnH", "sport = :" + ports["shop"]]).split()[1])

    def peers(pid):
        """The ports at the other ends of the connections of a process."""
        lines = s.out(["ss", "-tnpH", "state", "established"]).splitlines()
        return [line.split()[3].rpartition(":")[2] for line in lines if "pid=%d," % pid in line]

    s.begin()
    victim = s.start("victim", [s.path("ask"), ports["bystander"], ports["shop"]])
    s.wait("the connection is in the queue", lambda: queued() == 1)
    s.wait("the other shop has sold", lambda: s.syscall("bystander") == "read")
    s.during("the shop has one connection, that of nc", lambda: queued() == 1 and len(peers(s.pid("shop"))) == 1 and
             peers(s.pid("nc")) == [ports["shop"]])
    s.during("the shop waits in a read of its client", lambda: s.syscall("shop") == "read" and s.state("shop") == "S" and
             os.readlink("/proc/%d/fd/%d" % (s.pid("shop"), int(proc(s.pid("shop"), "syscall").split()[1], 16))
                         ).startswith("socket:"))
    s.during("nc waits for its user", lambda: s.syscall("nc") == "poll" and s.state("nc") == "S")
    s.during("the Go program waits, and is connected to the shop", lambda: victim.poll() is None and
             not s.uses_cpu("victim", 0.05) and ports["shop"] in peers(victim.pid))
    # The test is the user of nc.
    s.hang(victim="victim", culprits=["nc", "shop", "test"], causes=["external", "slow-peer", "queueing"],
           wrong=["bystander"])
    yield
    s.processes["nc"][0].stdin.close()
    s.ended("victim")
    s.check("both shops have sold", s.output("victim") == "[sold parcel\n sold parcel\n]")
