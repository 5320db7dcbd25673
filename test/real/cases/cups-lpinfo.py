# SPDX-License-Identifier: GPL-2.0-or-later
"""lpinfo asks cupsd for the devices. cupsd waits for cups-deviced, and cups-deviced waits for the backend of a multifunction
printer. The backend waits for the lock of the device, which a scan program owns. The scan program waits for its user."""
import os

from scene import Missing, descendants, proc

HELD_OUT = True
NEEDS = {"cupsd": "cups-daemon", "lpinfo": "cups-client", "lpstat": "cups-client", "perl": "perl"}
DEVICED = "/usr/lib/cups/daemon/cups-deviced"
FILES = """
ServerRoot %(where)s/etc
ServerBin %(where)s/bin
CacheDir %(where)s/cache
StateDir %(where)s/run
RequestRoot %(where)s/spool
TempDir %(where)s/spool/tmp
AccessLog %(where)s/access.log
ErrorLog %(where)s/error.log
PageLog %(where)s/page.log
SystemGroup root
"""
CUPSD = """
Listen %(where)s/sock
Browsing No
LogLevel info
DefaultAuthType None
<Location />
 Order allow,deny
 Allow all
</Location>
<Policy default>
 JobPrivateAccess all
 JobPrivateValues none
 SubscriptionPrivateAccess all
 SubscriptionPrivateValues none
 <Limit All>
  Order deny,allow
 </Limit>
</Policy>
"""
# As a backend of a vendor does: no other program may talk to the device while its identity is read.
BACKEND = """#!/usr/bin/perl
use Fcntl ':flock';
exit 0 if @ARGV;
open(my $lock, '<', '%(where)s/%(name)s.lock') or die;
flock($lock, LOCK_EX) or die;
print qq(direct %(name)s:/dev/usb/lp0 "Acme" "Acme %(name)s" "" ""\\n);
"""
SCAN = """
use Fcntl ':flock';
$| = 1;
open(my $lock, '<', $ARGV[0]) or die;
flock($lock, LOCK_EX) or die;
print "Put in the next page, and press Enter\\n";
<STDIN>;
"""


def play(s):
    if not os.path.exists(DEVICED):
        raise Missing("no cups-deviced here (package cups)")
    words = {"where": s.where}
    for name in "etc", "bin", "bin/daemon", "bin/backend", "cache", "run", "spool", "spool/tmp":
        os.mkdir(s.path(name))
    for name in os.listdir(os.path.dirname(DEVICED)):
        os.symlink(os.path.join(os.path.dirname(DEVICED), name), s.path("bin/daemon/" + name))
    for name, text in ("files.conf", FILES % words), ("cupsd.conf", CUPSD % words), ("scan.pl", SCAN), ("mfp.lock", ""), \
            ("label.lock", ""), ("fax.lock", ""):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    for name in "mfp", "label":
        with open(s.path("bin/backend/" + name), "w", encoding="ascii") as f:
            f.write(BACKEND % {"where": s.where, "name": name})
        os.chmod(s.path("bin/backend/" + name), 0o755)
    s.start("cupsd", ["cupsd", "-f", "-c", s.path("cupsd.conf"), "-s", s.path("files.conf")])
    lpinfo = ["lpinfo", "-h", s.path("sock"), "--timeout", "120", "-v"]
    lpstat = ["lpstat", "-h", s.path("sock"), "-r"]
    s.wait("cupsd answers", lambda: "is running" in s.out(["sh", "-c", '"$@" || :', "sh", *lpstat]))
    found = s.out(lpinfo)
    s.check("both devices are found", "direct mfp:" in found and "direct label:" in found)
    for role, name in ("scan", "mfp"), ("other_scan", "fax"):
        s.start(role, ["perl", s.path("scan.pl"), s.path(name + ".lock")], talk=True)
        s.wait("the scan program waits for its user", lambda role=role: "press Enter" in s.output(role) and
               s.syscall(role) == "read")

    def below(name):
        """The process of cupsd that runs this program."""
        return [pid for pid in descendants(s.pid("cupsd")) if name in proc(pid, "cmdline").replace("\0", " ")][0]

    s.begin()
    victim = s.start("victim", lpinfo)
    s.wait("the backend waits for the lock", lambda: below("backend/mfp") in s.locks(s.path("mfp.lock"))["waiters"])
    s.role("backend", below("backend/mfp"))
    s.role("deviced", below("deviced"))
    s.during("the backend waits for the lock of the scan program", lambda: s.locks(s.path("mfp.lock")) == {
        "owners": [s.pid("scan")], "waiters": [s.pid("backend")]})
    s.during("the scan program waits for its user", lambda: s.syscall("scan") == "read")
    s.during("cups-deviced waits", lambda: below("deviced") == s.pid("deviced") and s.state("deviced") == "S")
    s.during("lpinfo waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("cupsd answers others", lambda: "is running" in s.out(lpstat, timeout=8))
    s.hang(victim="victim", culprits=["scan", "test"], causes=["lock-holder", "external", "slow-peer"],
           vague=["backend", "deviced", "cupsd"], wrong=["other_scan"])
    yield
    s.say("scan", "")
    s.ended("victim")
    s.check("both devices are found again", "direct mfp:" in s.output("victim") and "direct label:" in s.output("victim"))
