# SPDX-License-Identifier: GPL-2.0-or-later
"""getent waits for nslcd, which waits for slapd. For the answer, slapd asks a perl (back-sock), whose control group has
almost no CPU time."""
import os

from scene import Missing, set_quota, throttled

HELD_OUT = True
NEEDS = {"nslcd": "nslcd", "slapd": "slapd", "getent": "libc-bin", "perl": "perl", "unshare": "util-linux",
         "nsenter": "util-linux"}
ROOM = """
mount -t tmpfs run /run
mkdir /run/nslcd
mount --bind nsswitch.conf /etc/nsswitch.conf
mount --bind nslcd.conf /etc/nslcd.conf
exec nslcd -n
"""
SWITCH = "passwd: files ldap\ngroup: files\nshadow: files\n"
NSLCD = """uri ldap://127.0.0.1:%s
base dc=shop
threads 2
"""
SLAPD = """include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
modulepath /usr/lib/ldap
moduleload back_sock
pidfile {w}/slapd.pid
database sock
suffix "dc=shop"
socketpath {w}/people
"""
PEOPLE = """
use IO::Socket::UNIX;
my $l = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => "people", Listen => 5) or die;
while (my $c = $l->accept) {
    my $asked = "";
    while (my $line = <$c>) {
        last if $line eq "\\n";
        $asked .= $line;
    }
    if ($asked =~ /^SEARCH.*uid=(\\w+)/s) {
        my ($who, $uid) = ($1, 1);
        for my $i (1 .. 3000000) {
            $uid = ($uid * 7919 + $i) % 1000003;
        }
        $uid = 2000 + $uid % 1000;
        print $c "dn: uid=$who,dc=shop\\nobjectClass: account\\nobjectClass: posixAccount\\nuid: $who\\ncn: $who\\n" .
            "uidNumber: $uid\\ngidNumber: 100\\nhomeDirectory: /home/$who\\n\\n";
    }
    print $c "RESULT\\ncode: 0\\n";
    close($c);
}
"""


def play(s):
    if not os.path.exists("/usr/lib/ldap/back_sock.so") or not os.path.exists("/lib/x86_64-linux-gnu/libnss_ldap.so.2"):
        raise Missing("needs the packages slapd and libnss-ldapd")
    port = s.port()
    for name, text in ("room", ROOM), ("nsswitch.conf", SWITCH), ("nslcd.conf", NSLCD % port), \
            ("slapd.conf", SLAPD.format(w=s.where)), ("people.pl", PEOPLE):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    group, old = s.control_group("cpu", "people")
    s.start("people", ["perl", "people.pl"])
    s.wait("perl listens", lambda: os.path.exists(s.path("people")))
    with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as f:
        f.write(str(s.pid("people")))
    s.start("slapd", ["slapd", "-h", "ldap://127.0.0.1:" + port, "-f", s.path("slapd.conf"), "-d", "0"])
    s.wait("slapd listens", lambda: s.connects(port))
    s.start("nslcd", ["unshare", "-m", "sh", "room"])
    s.wait("nslcd runs", lambda: s.threads("nslcd", "nslcd") and len(s.threads("nslcd")) >= 3)

    def getent(name):
        return ["nsenter", "-t", s.pid("nslcd"), "-m", "getent", "passwd", name]

    s.wait("nslcd listens", lambda: os.path.exists("/proc/%d/root/run/nslcd/socket" % s.pid("nslcd")))
    known = s.out(getent("anna"))
    s.check("anna is known", known.startswith("anna:") and known.endswith(":/home/anna:"))

    s.begin()
    set_quota(group, old, 1000)  # 1 % of one CPU
    s.callback(set_quota, group, old, -1)
    victim = s.start("victim", getent("berta"))
    began = throttled(group)
    s.wait("perl is throttled", lambda: throttled(group) > began + 2)
    counts = [began]

    def throttled_again():
        counts.append(throttled(group))
        return counts[-1] > counts[-2]

    s.during("perl is throttled", throttled_again)
    s.during("perl could run", lambda: s.state("people") == "R")
    s.during("getent waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("others are known at once", lambda: s.out(getent("root")).startswith("root:"))
    s.hang(victim="victim", culprits=["people"], causes=["starved"], vague=["slapd", "nslcd"], wrong=["test"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.check("berta is known", s.output("victim").startswith("berta:"))
