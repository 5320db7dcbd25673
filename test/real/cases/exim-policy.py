# SPDX-License-Identifier: GPL-2.0-or-later
"""curl sends mail to exim, which asks a policy server. The policy server waits for a file lock, whose owner sleeps."""
import shutil

from scene import Missing, children

HELD_OUT = False
NEEDS = {"exim4": "exim4-daemon-light", "perl": "perl", "flock": "util-linux", "curl": "curl", "nc": "netcat-openbsd"}

EXIM = """
primary_hostname = mail.test
spool_directory = %(where)s/spool
log_file_path = %(where)s/%%slog
pid_file_path = %(where)s/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = %(port)s
tls_advertise_hosts =
host_lookup =
rfc1413_hosts =
queue_only
acl_smtp_rcpt = check
begin acl
check:
  deny condition = ${if eq{${readsocket{inet:127.0.0.1:%(policy)s}{$local_part\\n}{60s}}}{no}}
  accept
begin routers
all:
  driver = accept
  transport = hole
begin transports
hole:
  driver = appendfile
  file = /dev/null
"""
POLICY = """
use IO::Socket::INET;
use Fcntl ':flock';
$SIG{CHLD} = 'IGNORE';
my $l = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 9, ReuseAddr => 1) or die;
while (1) {
    my $c = $l->accept or next;
    next if fork;
    my $user = <$c>;
    if ($user ne "postmaster\\n") {
        open(my $list, '>>', 'greylist') or die;
        flock($list, LOCK_EX) or die;
    }
    print $c 'yes';
    exit 0;
}
"""


def play(s):
    port, policy, where = s.port(), s.port(), s.path("exim")
    for name, text in ("exim.conf", EXIM % {"port": port, "policy": policy, "where": where}), ("policy.pl", POLICY), \
            ("mail", "Subject: hello\n\nhello\n"), ("greylist", ""), ("other", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["mkdir", "-p", where])
    try:
        shutil.chown(where, "Debian-exim", "Debian-exim")
    except LookupError:
        raise Missing("no user Debian-exim here") from None
    s.start("policy", ["perl", "policy.pl", policy])
    s.wait("the policy server answers", lambda: s.connects(policy))
    s.start("exim", ["exim4", "-bdf", "-C", s.path("exim.conf")])
    s.wait("exim answers", lambda: s.connects(port))

    def curl(user):
        return ["curl", "-s", "smtp://127.0.0.1:" + port, "--mail-from", "shop@mail.test", "--mail-rcpt", user + "@mail.test",
                "-T", s.path("mail")]

    s.out(curl("anna"))
    s.start("idler", ["nc", "127.0.0.1", port], talk=True)
    s.wait("exim greets", lambda: "220 mail.test" in s.output("idler"))
    s.wait("exim has a process for it only", lambda: len(children(s.pid("exim"))) == 1)
    s.role("idle_exim", children(s.pid("exim"))[0])
    for name, file in ("bystander", "other"), ("owner", "greylist"):
        s.start(name, ["flock", s.path(file), "sleep", "3600"])
        s.wait("%s has its lock" % name, lambda name=name, file=file: s.locks(s.path(file))["owners"] == [s.pid(name)])
        s.wait("it sleeps", lambda name=name: s.child(name, "sleep"))
        s.role(name + "_sleep", s.child(name))

    s.begin()
    victim = s.start("victim", curl("berta"))
    s.wait("a policy process waits for the lock",
           lambda: s.locks(s.path("greylist"))["waiters"] == children(s.pid("policy")) != [])
    s.role("asked", children(s.pid("policy"))[0])
    s.role("its_exim", next(p for p in children(s.pid("exim")) if p != s.pid("idle_exim")))
    s.during("the policy process waits for the lock, and flock has it",
             lambda: s.locks(s.path("greylist")) == {"owners": [s.pid("owner")], "waiters": [s.pid("asked")]})
    s.during("the command of the owner sleeps", lambda: s.syscall("owner_sleep") == "clock_nanosleep")
    s.during("curl and exim wait", lambda: victim.poll() is None and s.state("victim") == s.state("its_exim") == "S")
    s.during("exim takes other mail", lambda: s.out(curl("postmaster"), timeout=5) == "")
    s.hang(victim="victim", culprits=["owner", "owner_sleep"], causes=["lock-holder", "timer"], stuck=["its_exim", "asked"],
           wrong=["bystander", "bystander_sleep", "idler", "idle_exim", "exim", "policy", "test"])
    yield
    for role in "owner_sleep", "owner":
        s.out(["kill", "-TERM", s.pid(role)])
    s.ended("victim")
    s.check("exim still serves the idle client", s.state("idle_exim") == "S")
