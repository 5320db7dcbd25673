# SPDX-License-Identifier: GPL-2.0-or-later
"""s6-svwait waits until a service is ready. The service first waits for a memcached that SIGSTOP has stopped."""
import os
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"s6-svscan": "s6", "s6-svwait": "s6", "s6-svstat": "s6", "perl": "perl", "memcached": "memcached"}

# s6 reads the descriptor 3: a line says that the service is ready.
SERVICE = """
use IO::Socket::INET;
my $cache = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $ARGV[0]) or die;
print $cache "get settings\\r\\n";
<$cache>;
open(my $ready, '>&=', 3) or die;
print $ready "ready\\n";
close $ready;
sleep 3600;
"""


def play(s):
    base, ports = s.path("scan"), {"shop": s.port(), "blog": s.port()}
    with open(s.path("service.pl"), "w", encoding="ascii") as f:
        f.write(SERVICE)
    for name, port in ports.items():
        s.start("cache_" + name, ["memcached", "-u", "root", "-l", "127.0.0.1", "-p", port, "-t", "1"])
        s.wait("memcached answers", lambda port=port: s.connects(port))
        os.makedirs(os.path.join(base, name))
        for file, text in ("run", "#!/bin/sh\nexec perl %s %s\n" % (s.path("service.pl"), port)), \
                ("notification-fd", "3\n"), ("down", ""):
            with open(os.path.join(base, name, file), "w", encoding="ascii") as f:
                f.write(text)
        os.chmod(os.path.join(base, name, "run"), 0o755)
    s.start("svscan", ["s6-svscan", base])

    def stat(name):
        return s.out(["s6-svstat", "-o", "up,ready", os.path.join(base, name)])

    for name in ports:
        s.wait("%s is supervised" % name, lambda name=name: stat(name) == "false false")
        s.role("supervise_" + name, next(p for p in children(s.pid("svscan")) if proc(p, "cmdline").split("\0")[1] == name))
    s.out(["s6-svc", "-uwU", "-T", "8000", os.path.join(base, "blog")])
    s.role("blog", children(s.pid("supervise_blog"))[0])

    s.begin()
    os.kill(s.pid("cache_shop"), signal.SIGSTOP)
    s.wait("memcached stops", lambda: s.state("cache_shop") == "T")
    victim = s.start("victim", ["s6-svwait", "-U", os.path.join(base, "shop")])
    s.out(["s6-svc", "-u", os.path.join(base, "shop")])
    s.wait("the service runs", lambda: proc(children(s.pid("supervise_shop"))[0], "comm") == "perl\n")
    s.role("shop", children(s.pid("supervise_shop"))[0])
    s.wait("the service waits for memcached", lambda: s.syscall("shop") in ("read", "recvfrom"))

    def unread():
        return sum(int(line.split()[0]) for line in
                   s.out(["ss", "-tnH", "state", "established", "sport = :" + ports["shop"]]).splitlines())

    s.during("memcached is stopped, and has not read the question", lambda: s.state("cache_shop") == "T" and unread() > 0)
    s.during("the service is up, and not ready", lambda: stat("shop") == "true false")
    s.during("the service waits for memcached", lambda: s.syscall("shop") in ("read", "recvfrom"))
    s.during("s6-svwait waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the other service is ready", lambda: stat("blog") == "true true")
    s.hang(victim="victim", culprits=["cache_shop", "test"], causes=["stopped"], vague=["shop"],
           wrong=["cache_blog", "blog", "supervise_blog", "svscan"])
    yield
    os.kill(s.pid("cache_shop"), signal.SIGCONT)
    s.ended("victim")
    s.check("the service is ready", stat("shop") == "true true")
