# SPDX-License-Identifier: GPL-2.0-or-later
"""sv stop waits for a service to end. The service first saves its state in a redis-server, which SIGSTOP has stopped."""
import os
import signal

from scene import children, proc

HELD_OUT = False
NEEDS = {"runsvdir": "runit", "runsv": "runit", "sv": "runit", "perl": "perl", "redis-server": "redis-server",
         "redis-cli": "redis-tools"}

RUN = "#!/bin/sh\nexec perl %s %s %s\n"
SERVICE = """
use IO::Socket::INET;
my ($name, $port) = @ARGV;
my $redis = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or die;
$SIG{TERM} = sub {
    print $redis "SET $name $count\\r\\n";
    <$redis>;
    exit 0;
};
while (1) { $count++; sleep 1 }
"""


def play(s):
    base, ports = s.path("service"), {"web": s.port(), "mail": s.port()}
    with open(s.path("service.pl"), "w", encoding="ascii") as f:
        f.write(SERVICE)
    for name, port in ports.items():
        s.start("redis_" + name, ["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", s.where])
        s.wait("redis-server answers", lambda port=port: s.connects(port))
        os.makedirs(os.path.join(base, name))
        run = os.path.join(base, name, "run")
        with open(run, "w", encoding="ascii") as f:
            f.write(RUN % (s.path("service.pl"), name, port))
        os.chmod(run, 0o755)
    s.start("runsvdir", ["runsvdir", "-P", base], stop=signal.SIGHUP)

    def status(name):
        """The output of sv status, such as "run: web: (pid 12) 3s, got TERM"."""
        return s.out(["sh", "-c", 'sv status "$0" || :', os.path.join(base, name)])

    for name in ports:
        s.wait("%s runs" % name, lambda name=name: status(name).startswith("run:"))
        runsv = next(p for p in children(s.pid("runsvdir")) if proc(p, "cmdline").split("\0")[1] == name)
        s.role("runsv_" + name, runsv)
        s.wait("%s is a perl" % name, lambda runsv=runsv: proc(children(runsv)[0], "comm") == "perl\n")
        s.role(name, children(runsv)[0])
        s.wait("%s sleeps" % name, lambda name=name: s.syscall(name) in ("nanosleep", "clock_nanosleep"))

    s.begin()
    os.kill(s.pid("redis_web"), signal.SIGSTOP)
    s.wait("redis-server stops", lambda: s.state("redis_web") == "T")
    victim = s.start("victim", ["sv", "-w", "60", "stop", os.path.join(base, "web")])
    s.wait("the service saves its state", lambda: s.syscall("web") in ("read", "recvfrom"))
    s.during("redis-server is stopped", lambda: s.state("redis_web") == "T")
    s.during("runsv waits for the end of the service", lambda: "got TERM" in status("web"))
    s.during("the service waits for redis-server", lambda: s.syscall("web") in ("read", "recvfrom"))
    s.during("sv waits", lambda: victim.poll() is None)
    s.during("the other service and its redis-server work", lambda: status("mail").startswith("run:") and
             s.out(["redis-cli", "-p", ports["mail"], "PING"], timeout=5) == "PONG")
    s.hang(victim="victim", culprits=["redis_web", "test"], causes=["stopped"], vague=["web", "runsv_web"],
           wrong=["runsv_mail", "mail", "redis_mail", "runsvdir"])
    yield
    os.kill(s.pid("redis_web"), signal.SIGCONT)
    s.ended("victim")
    s.check("the service is down", "ok: down:" in s.output("victim"))
    s.check("redis-server has the state", int(s.out(["redis-cli", "-p", ports["web"], "GET", "web"])) > 0)
