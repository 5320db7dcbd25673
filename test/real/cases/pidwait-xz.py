# SPDX-License-Identifier: GPL-2.0-or-later
"""pidwait waits with a pidfd for the end of a backup script. The script waits for its xz, which computes."""
import glob
import os
import signal

from scene import proc

HELD_OUT = True
NEEDS = {"pidwait": "procps", "xz": "xz-utils", "sh": "dash"}

BACKUP = """#!/bin/sh
echo $$ >"$0.pid"
nice -n "$1" xz -T1 -9 -c </dev/zero >/dev/null
echo done
"""


def play(s):
    for name, nice in ("backup", 0), ("other", 19):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(BACKUP)
        s.start("bystander" if name == "other" else name, ["sh", s.path(name), nice])
        s.wait("%s has its pid file" % name, lambda name=name: os.path.getsize(s.path(name + ".pid")))
    s.wait("xz runs", lambda: s.child("backup", "xz") and s.child("bystander", "xz"))
    s.role("xz", s.child("backup", "xz"))
    s.role("other_xz", s.child("bystander", "xz"))

    s.begin()
    victim = s.start("victim", ["pidwait", "-F", s.path("backup.pid")])

    def watched():
        """The pids of the processes for which pidwait has a pidfd."""
        found = []
        for path in glob.glob("/proc/%d/fdinfo/*" % victim.pid):
            with open(path, encoding="ascii") as f:
                found += [int(line.split()[1]) for line in f if line.startswith("Pid:")]
        return found

    s.wait("pidwait waits", lambda: s.state("victim") == "S" and watched())
    s.during("pidwait waits for the script, and for nothing else", lambda: watched() == [s.pid("backup")])
    s.during("pidwait sleeps", lambda: victim.poll() is None and s.state("victim") == "S" and
             not s.uses_cpu("victim", 0.01, 0.2))
    s.during("the script waits for xz", lambda: s.syscall("backup") == "wait4" and
             s.child("backup", "xz") == s.pid("xz") and proc(s.pid("backup"), "comm") == "sh\n")
    s.during("xz computes", lambda: s.uses_cpu("xz", 0.1))
    s.hang(victim="victim", culprits=["xz"], causes=["busy"], vague=["backup"], wrong=["bystander", "other_xz", "test"])
    yield
    os.kill(s.pid("xz"), signal.SIGTERM)
    s.ended("victim")
    s.check("the script came to its end", "done" in s.output("backup"))
