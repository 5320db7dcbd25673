# SPDX-License-Identifier: GPL-2.0-or-later
"""rsync waits for an rsync daemon. The daemon's pre-xfer script waits for a file lock. The lock's owner waits for its
sha256sum."""
import os

from scene import children, proc

HELD_OUT = False
NEEDS = {"rsync": "rsync", "flock": "util-linux", "sha256sum": "coreutils"}
CONF = """use chroot = no
reverse lookup = no
uid = 0
gid = 0
log file = %(where)s/log
pid file = %(where)s/pid
lock file = %(where)s/max
[backup]
path = %(where)s/shop
pre-xfer exec = %(where)s/before
[news]
path = %(where)s/shop
"""


def play(s):
    port, lock = s.port(), s.path("snapshot.lock")
    os.mkdir(s.path("shop"))
    for name, text in (("shop/page", "hello\n"), ("conf", CONF % {"where": s.where}),
                       ("before", "#!/bin/sh\nflock %s true\nexit 0\n" % lock)):
        with open(s.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    os.chmod(s.path("before"), 0o755)
    s.start("rsyncd", ["rsync", "--daemon", "--no-detach", "--config", s.path("conf"), "--address", "127.0.0.1", "--port", port])
    s.wait("rsyncd listens", lambda: s.connects(port))

    def copy(module, to):
        return ["rsync", "-r", "rsync://127.0.0.1:%s/%s/" % (port, module), s.path(to)]

    s.out(copy("backup", "first"))
    s.start("bystander", ["nice", "-n", "19", "sha256sum", "/dev/zero"])
    s.start("owner", ["flock", lock, "sha256sum", "/dev/zero"])
    s.wait("the owner's command runs", lambda: s.child("owner", "sha256sum"))
    s.role("sha256sum", s.child("owner", "sha256sum"))

    s.begin()
    victim = s.start("victim", copy("backup", "second"))
    s.wait("the script waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("waiter", s.locks(lock)["waiters"][0])
    # Five processes, each the parent of the next one: session, helper, shell, script, waiter. Each parent waits for its
    # child.
    for role, child in ("script", "waiter"), ("shell", "script"), ("helper", "shell"), ("session", "helper"):
        s.role(role, int(proc(s.pid(child), "stat").rpartition(")")[2].split()[1]))
    s.check("rsyncd has started the session", s.pid("session") in children(s.pid("rsyncd")))
    s.during("flock waits for the lock of the owner", lambda: s.syscall("waiter") == "flock" and s.locks(lock) == {
        "owners": [s.pid("owner")], "waiters": [s.pid("waiter")]})
    s.during("sha256sum computes", lambda: s.uses_cpu("sha256sum", 0.3))
    s.during("the session and rsync wait", lambda: s.state("session") == "S" == s.state("victim") and victim.poll() is None)
    s.during("rsyncd serves another module", lambda: s.out(copy("news", "third"), timeout=5) == "")
    s.hang(victim="victim", culprits=["sha256sum", "owner"], causes=["busy", "lock-holder"],
           vague=["session", "helper", "shell", "script", "waiter"], wrong=["rsyncd", "bystander", "test"])
    yield
    os.kill(s.pid("sha256sum"), 15)
    s.ended("victim")
    s.check("the copy is there", os.path.exists(s.path("second/page")))
