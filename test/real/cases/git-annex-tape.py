# SPDX-License-Identifier: GPL-2.0-or-later
"""git-annex copies a file to an external special remote. The program of the remote, in Perl, looks again and again
whether the operator has loaded the tape."""
import os
import re

from scene import proc

HELD_OUT = False
NEEDS = {"git-annex": "git-annex", "git": "git", "perl": "perl", "ps": "procps"}

REMOTE = r"""#!/usr/bin/perl
use strict;
use File::Copy;
my ($dir, %get);
sub ask { print "GETCONFIG $_[0]\n"; <STDIN> =~ /^VALUE (.*)/; return $1 }
$| = 1;
print "VERSION 1\n";
while (<STDIN>) {
    chomp;
    if (/^EXTENSIONS/) { print "EXTENSIONS\n" }
    elsif (/^INITREMOTE/) { print "INITREMOTE-SUCCESS\n" }
    elsif (/^PREPARE/) { $dir = ask("tape"); print "PREPARE-SUCCESS\n" }
    elsif (/^CHECKPRESENT (\S+)/) { print -e "$dir/$1" ? "CHECKPRESENT-SUCCESS $1\n" : "CHECKPRESENT-FAILURE $1\n" }
    elsif (/^TRANSFER STORE (\S+) (.*)/) {
        my ($key, $file) = ($1, $2);
        print STDERR "please load the tape\n" if !-e "$dir/loaded";
        select undef, undef, undef, 0.15 until -e "$dir/loaded";
        copy($file, "$dir/$key") or die;
        print "TRANSFER-SUCCESS STORE $key\n";
    }
    else { print "UNSUPPORTED-REQUEST\n" }
}
"""


def play(s):
    os.mkdir(s.path("bin"))
    with open(s.path("bin/git-annex-remote-tape"), "w", encoding="ascii") as f:
        f.write(REMOTE)
    os.chmod(s.path("bin/git-annex-remote-tape"), 0o755)
    words = {"HOME": s.where, "PATH": s.path("bin") + ":" + os.environ["PATH"], "GIT_AUTHOR_NAME": "Ada",
             "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_COMMITTER_NAME": "Ada",
             "GIT_COMMITTER_EMAIL": "ada@example.org"}

    def git(repo, *args):
        return s.out(["env", *("%s=%s" % x for x in words.items()), "git", "-C", s.path(repo), *args])

    for repo, tape in ("films", "tape7"), ("songs", "tape8"):
        os.mkdir(s.path(tape))
        os.mkdir(s.path(repo))
        git(repo, "init", "-q")
        git(repo, "annex", "init", "-q", repo)
        with open(s.path(repo + "/first"), "w", encoding="ascii") as f:
            f.write("the first of the %s\n" % repo)
        git(repo, "annex", "add", "-q", "first")
        git(repo, "commit", "-q", "-m", "first")
        git(repo, "annex", "initremote", "-q", "tape", "type=external", "externaltype=tape", "encryption=none",
            "tape=" + s.path(tape))
    with open(s.path("tape8/loaded"), "w", encoding="ascii"):
        pass
    git("songs", "annex", "copy", "-q", "--to", "tape")
    s.check("the other tape has its song", len(os.listdir(s.path("tape8"))) == 2)

    s.begin()
    victim = s.start("victim", ["git-annex", "copy", "--to", "tape"], env={**os.environ, **words}, cwd=s.path("films"))

    def helpers():
        rows = [x.split(None, 1) for x in s.out(["ps", "-o", "pid=,args=", "--ppid", victim.pid]).splitlines()]
        return [(int(pid), args) for pid, args in rows]

    s.wait("the remote wants the tape", lambda: "please load" in s.output("victim") and any(
        "git-annex-remote-tape" in args for _, args in helpers()))
    for i, (pid, args) in enumerate(helpers()):
        s.role("remote" if "git-annex-remote-tape" in args else "helper%d" % i, pid)
    others = [x for x in s.roles if x.startswith("helper")]

    s.during("the tape is not loaded", lambda: os.listdir(s.path("tape7")) == [])

    def sleeps():
        """How often the remote has slept."""
        return int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", proc(s.pid("remote"), "status"), re.M).group(1))

    def looks_often():
        n = sleeps()
        s.wait("the remote looks again", lambda: sleeps() > n + 1, 3)
        return s.syscall("remote") in ("select", "pselect6", "running")

    s.during("the remote looks again and again", looks_often)
    s.during("git-annex waits", lambda: victim.poll() is None and not s.uses_cpu("victim", 0.2))
    s.hang(victim="victim", culprits=["remote"], causes=["polling", "timer"], wrong=[*others, "test"])
    yield
    with open(s.path("tape7/loaded"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.check("the tape has the film", len(os.listdir(s.path("tape7"))) == 2)
