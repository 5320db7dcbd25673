# SPDX-License-Identifier: GPL-2.0-or-later
"""A zsh with HIST_FCNTL_LOCK waits for the lock of its history. A script that merges histories has the lock, and waits
for its curl. curl waits for a busybox httpd, which is stopped."""
import os
import signal

HELD_OUT = True
NEEDS = {"zsh": "zsh", "busybox": "busybox", "curl": "curl", "perl": "perl", "ss": "iproute2"}

MERGE = """
use Fcntl;
my ($file, $url) = @ARGV;
$| = 1;
open(my $history, '+<', $file) or die;
my $lock = pack('s s x4 q q i x4', F_WRLCK, 0, 0, 0, 0);
fcntl($history, F_SETLKW, $lock) or die "no lock: $!";
print "merges\\n";
my @theirs = `curl -s $url`;
die "curl failed" if $?;
seek($history, 0, 2);
print $history @theirs;
close $history;
print "merged\\n";
"""
SHELL = """
HISTFILE=$1 HISTSIZE=1000 SAVEHIST=1000
setopt HIST_FCNTL_LOCK
fc -R
fc -l 1
"""


def play(s):
    ports = {"server": s.port(), "bystander": s.port()}
    os.mkdir(s.path("www"))
    for name, text in (("merge.pl", MERGE), ("shell.zsh", SHELL), ("history", "ls -l\n"), ("spare", "df -h\n"),
                       ("www/laptop", "make install\n")):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    for name, port in ports.items():
        s.start(name, ["busybox", "httpd", "-f", "-p", "127.0.0.1:" + port, "-h", s.path("www")])
        s.wait("%s serves" % name, lambda port=port: s.connects(port))
    url = "http://127.0.0.1:%s/laptop"
    s.check("both servers serve", all(s.out(["curl", "-s", url % p]) == "make install" for p in ports.values()))
    s.check("zsh reads a history", "df -h" in s.out(["zsh", "-f", "shell.zsh", "spare"]))

    s.processes["server"][0].send_signal(signal.SIGSTOP)
    s.wait("the server is stopped", lambda: s.state("server") == "T")
    merge = s.start("merge", ["perl", "merge.pl", "history", url % ports["server"]])
    s.wait("the script merges", lambda: s.output("merge") == "merges\n" and s.child("merge", "curl"))
    s.role("curl", s.child("merge", "curl"))

    s.begin()
    victim = s.start("victim", ["zsh", "-f", "shell.zsh", "history"])
    s.wait("zsh waits for the lock", lambda: s.locks(s.path("history"))["waiters"] == [victim.pid])
    s.during("the script has the lock, and zsh waits for it",
             lambda: s.locks(s.path("history")) == {"owners": [merge.pid], "waiters": [victim.pid]})
    s.during("zsh sleeps in fcntl", lambda: s.syscall("victim") == "fcntl" and s.state("victim") == "S")
    s.during("the script waits for curl", lambda: s.child("merge", "curl") == s.pid("curl") and
             s.state("merge") == "S" and s.syscall("merge") in ("read", "wait4"))
    s.during("curl has asked the server", lambda: "pid=%d," % s.pid("curl") in s.out(
        ["ss", "-tnpH", "state", "established", "dport", "=", ":" + ports["server"]]) and s.state("curl") == "S")
    s.during("the server is stopped", lambda: s.state("server") == "T")
    s.during("the other server serves", lambda: s.out(["curl", "-s", url % ports["bystander"]]) == "make install")
    s.hang(victim="victim", culprits=["server", "test"], causes=["stopped"], vague=["merge", "curl"],
           wrong=["bystander"])
    yield
    s.processes["server"][0].send_signal(signal.SIGCONT)
    s.ended("merge")
    s.ended("victim")
    s.check("zsh has read the merged history", "make install" in s.output("victim"))
