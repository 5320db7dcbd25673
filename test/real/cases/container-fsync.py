# SPDX-License-Identifier: GPL-2.0-or-later
"""A container does not end, although SIGKILL was sent to its init process. The init process ends last: it waits for dd, which
the kernel cannot end, because dd waits in fsync for the slow disk of its volume."""
import os
import signal

from scene import proc

HELD_OUT = True
NEEDS = {"unshare": "util-linux", "dd": "coreutils", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
SIZE = 24
INIT = """
echo begins
"$@" &
wait
"""


def play(s):
    disk, _, limit = s.slow_disk(64)
    with open(s.path("init.sh"), "w", encoding="ascii") as f:
        f.write(INIT)

    def container(role, *cmd):
        s.start(role, ["unshare", "--mount", "--pid", "--fork", "--mount-proc", "sh", "init.sh", *cmd],
                stop=signal.SIGKILL)
        s.wait("the container runs", lambda: s.child(role, "sh"))
        s.role(role + "_init", s.child(role, "sh"))
        s.wait("its command runs", lambda: s.child(role + "_init", os.path.basename(cmd[0])))
        return s.child(role + "_init", os.path.basename(cmd[0]))

    s.role("bystander_tail", container("bystander", "tail", "-f", "init.sh"))
    limit(1 << 20)
    s.role("dd", container("victim", "dd", "if=/dev/zero", "of=" + os.path.join(disk, "dump"), "bs=1M", "count=%d" % SIZE,
                           "conv=fsync"))

    def syncs():
        return proc(s.pid("dd"), "syscall").split()[0] == "74" and s.state("dd") == "D"  # fsync

    s.wait("dd waits in fsync", syncs)

    s.begin()
    os.kill(s.pid("victim_init"), signal.SIGKILL)

    def ends():
        """Whether the init process is in exit(2), and waits for its children or for other processes of its namespace."""
        flags = int(proc(s.pid("victim_init"), "stat").rpartition(")")[2].split()[6])
        return flags & 4 and s.wchan("victim_init") in ("do_wait", "zap_pid_ns_processes")  # 4: PF_EXITING

    def killed():
        """The signals that dd got, and that have no effect yet."""
        status = dict(line.split(":\t", 1) for line in proc(s.pid("dd"), "status").splitlines() if ":\t" in line)
        return int(status["SigPnd"], 16) | int(status["ShdPnd"], 16)

    s.wait("the init process ends its container", ends)
    s.during("dd waits in fsync", lambda: s.state("dd") == "D" and not s.uses_cpu("dd", 0.2, 0.2))
    s.during("SIGKILL was sent to dd", lambda: killed() & 1 << signal.SIGKILL - 1)
    s.during("the init process waits for it", lambda: ends() and s.child("victim_init") == s.pid("dd"))
    s.during("unshare waits for the init process", lambda: s.child("victim") == s.pid("victim_init") and
             s.wchan("victim") == "do_wait")
    s.during("the other container runs", lambda: s.child("bystander_init") == s.pid("bystander_tail"))
    s.hang(victim="victim", culprits=["dd"], causes=["disk"], vague=["victim_init"],
           wrong=["bystander", "bystander_init", "bystander_tail", "test"])
    yield
    limit(0)
    s.went_on("the container is gone", lambda: s.processes["victim"][0].poll() is not None)
    s.check("dd is gone", not os.path.exists("/proc/%d" % s.pid("dd")))
