# SPDX-License-Identifier: GPL-2.0-or-later
"""A perl that writes to a Berkeley DB waits for the lock of a page. The transaction of another perl has this lock, and
this perl reads from a mawk that computes."""
import os
import re
import subprocess

from scene import Missing, children, proc

HELD_OUT = False
NEEDS = {"perl": "perl", "db5.3_stat": "db5.3-util", "mawk": "mawk"}
SHOP = """
use BerkeleyDB;
$| = 1;
my ($file) = @ARGV;
my $flags = DB_CREATE | DB_INIT_LOCK | DB_INIT_LOG | DB_INIT_MPOOL | DB_INIT_TXN;
my $env = BerkeleyDB::Env->new(-Home => "base", -Flags => $flags) or die;
my $db = BerkeleyDB::Btree->new(-Filename => $file, -Flags => DB_CREATE | DB_AUTO_COMMIT, -Env => $env) or die;
print "ready\\n";
while (my $line = <STDIN>) {
    my ($key, $value, @cmd) = split " ", $line;
    my $txn = $env->txn_begin;
    $db->Txn($txn);
    $db->db_put($key, $value) == 0 or die;
    if (@cmd) {
        print "put, and counts\\n";
        open(my $count, "-|", @cmd) or die;
        $value = <$count>;
        close($count);
        $db->db_put($key, $value) == 0 or die;
    }
    $txn->txn_commit;
    print "stored $key\\n";
}
"""
COUNT = """BEGIN {
    while ((getline line < "enough") < 0)
        for (i = 0; i < 300000; i++)
            x = (x * 7919 + i) % 1000003
    print 34
}
"""


def play(s):
    if subprocess.run(["perl", "-MBerkeleyDB", "-e", "1"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package libberkeleydb-perl")
    for name, text in ("shop.pl", SHOP), ("count.awk", COUNT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.mkdir(s.path("base"))
    for role, file in ("holder", "stock.db"), ("victim", "stock.db"), ("bystander", "prices.db"):
        s.start(role, ["perl", "shop.pl", file], talk=True)
        s.wait("%s is ready" % role, lambda role=role: s.output(role) == "ready\n")
    s.check("the other base is held too", "put" in s.ask("bystander", "tea 3 sleep 3600"))
    s.check("the holder has put", "put" in s.ask("holder", "tea 17 mawk -f count.awk"))
    s.wait("mawk computes", lambda: [p for p in children(s.pid("holder")) if proc(p, "comm") == "mawk\n"])
    s.role("mawk", s.child("holder", "mawk"))

    def pages():
        """The locks of pages: [(status, file)], from the base's own table."""
        text = s.out(["db5.3_stat", "-Co", "-h", "base"])
        rows = re.findall(r"^ *(\w+) +WRITE +\d+ (HELD|WAIT) +(\S+\.db) +page", text, re.M)
        return sorted(row[1:] for row in rows)

    s.begin()
    s.say("victim", "tea 18")
    s.wait("the victim waits for a page", lambda: ("WAIT", "stock.db") in pages())
    s.during("the page is held, and awaited", lambda: pages() == [
        ("HELD", "prices.db"), ("HELD", "stock.db"), ("WAIT", "stock.db")])
    s.during("the victim waits", lambda: s.syscall("victim") == "futex" and "stored" not in s.output("victim"))
    s.during("the holder reads from mawk", lambda: s.syscall("holder") == "read" and s.state("holder") == "S")
    s.during("mawk computes", lambda: s.state("mawk") == "R" and s.uses_cpu("mawk", 0.02, 1))
    s.hang(victim="victim", culprits=["mawk"], causes=["busy"], vague=["holder"], wrong=["bystander", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.went_on("the victim has stored", lambda: "stored tea" in s.output("victim"))
    s.wait("the holder has stored", lambda: "stored tea" in s.output("holder"))
