# SPDX-License-Identifier: GPL-2.0-or-later
"""A bash script sends its own output to tee, with exec > >(tee log), and then waits for all its jobs. tee is one of them, and
reads until the script closes its output: each of them waits for the other."""
import glob
import os

from scene import proc

HELD_OUT = True
NEEDS = {"bash": "bash", "tee": "coreutils"}
SCRIPT = """
exec > >(tee $1.log) 2>&1
cp parcels $1.copy
echo copied
%s
"""


def play(s):
    for name, text in ("victim.sh", SCRIPT % "wait"), ("good.sh", SCRIPT % "echo done"), ("parcels", "17\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    good = s.start("good", ["bash", "good.sh", "good"])
    s.wait("the script without wait ends", lambda: good.poll() is not None)
    s.check("it has copied", good.returncode == 0 and os.path.exists(s.path("good.copy")))
    s.start("bystander", ["bash", "-c", "exec sleep 600 > >(tee other.log)"])
    s.wait("the other tee runs", lambda: s.child("bystander", "tee"))
    s.role("other_tee", s.child("bystander", "tee"))

    s.begin()
    victim = s.start("victim", ["bash", "victim.sh", "victim"])
    s.wait("the script has copied, and tee runs", lambda: "copied" in s.output("victim") and s.child("victim", "tee"))
    s.role("tee", s.child("victim", "tee"))

    def users():
        """The pipe of tee: {(pid, whether the descriptor can write)}."""
        pipe, found = os.readlink("/proc/%d/fd/0" % s.pid("tee")), set()
        for path in glob.glob("/proc/[0-9]*/fd/*"):
            try:
                if os.readlink(path) == pipe:
                    found.add((int(path.split("/")[2]), bool(os.lstat(path).st_mode & 0o200)))
            except OSError:
                continue
        return found

    s.wait("the script waits for its jobs", lambda: s.wchan("victim") == "do_wait")
    s.during("the script waits for tee, its only child", lambda: victim.poll() is None and s.wchan("victim") == "do_wait" and
             s.child("victim") == s.pid("tee"))
    s.during("tee reads", lambda: s.syscall("tee") == "read" and "pipe" in s.wchan("tee"))
    s.during("only the script can write into the pipe of tee", lambda: users() == {(victim.pid, True), (s.pid("tee"), False)})
    s.during("the script has done its work", lambda: proc(s.pid("tee"), "comm") == "tee\n" and
             os.path.exists(s.path("victim.copy")))
    s.hang(victim="victim", culprits=["victim", "tee"], causes=["circular-wait", "slow-peer"],
           wrong=["bystander", "other_tee", "test"])
    yield
    os.kill(s.pid("tee"), 15)
    s.ended("victim")
