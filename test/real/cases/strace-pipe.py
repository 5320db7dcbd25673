# SPDX-License-Identifier: GPL-2.0-or-later
"""find waits for its strace. strace waits, because its pipe to grep is full. SIGSTOP has stopped grep."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"strace": "strace", "find": "findutils", "grep": "grep"}
FILES = 2000


def play(s):
    os.mkdir(s.path("papers"))
    for i in range(FILES):
        with open(os.path.join(s.path("papers"), "%05d" % i), "w", encoding="ascii"):
            pass
    s.out(["mkfifo", "records"])
    hold = os.open(s.path("records"), os.O_RDWR)  # grep begins before there is a record
    s.start("bystander", ["strace", "-o", "other", "sleep", "60"], stop=signal.SIGKILL)
    s.wait("the other sleep runs", lambda: s.child("bystander", "sleep"))
    s.role("bystander-sleep", s.child("bystander", "sleep"))
    grep = s.start("grep", ["sh", "-c", "exec grep -c newfstatat <records"])
    s.wait("grep reads", lambda: proc(s.pid("grep"), "comm") == "grep\n" and s.syscall("grep") == "read")

    s.begin()
    os.kill(s.pid("grep"), signal.SIGSTOP)
    s.wait("grep stops", lambda: s.state("grep") == "T")
    s.start("strace", ["sh", "-c", "exec strace -o records find papers -size 7"])
    s.wait("find runs", lambda: proc(s.pid("strace"), "comm") == "strace\n" and s.child("strace", "find"))
    os.close(hold)
    s.role("find", s.child("strace", "find"))
    s.wait("strace waits in a write", lambda: s.syscall("strace") == "write" and not s.uses_cpu("strace", 0.01, 0.2))
    s.during("grep is stopped", lambda: s.state("grep") == "T")
    s.during("strace waits in a write to the pipe that grep reads", lambda: s.syscall("strace") == "write" and
             "pipe" in s.wchan("strace") and os.path.samestat(os.stat("/proc/%d/fd/0" % s.pid("grep")),
                                                              os.stat(s.path("records"))))
    s.during("strace holds find", lambda: s.state("find") == "t" and
             "TracerPid:\t%d\n" % s.pid("strace") in proc(s.pid("find"), "status"))
    s.during("the other strace waits for its sleep", lambda: s.syscall("bystander") == "wait4")
    s.hang(victim="find", culprits=["grep", "test"], causes=["stopped"], vague=["strace"],
           wrong=["bystander", "bystander-sleep"])
    yield
    grep.send_signal(signal.SIGCONT)
    s.ended("strace")
    s.ended("grep")
    s.check("grep has all records", int(s.output("grep")) >= FILES)
