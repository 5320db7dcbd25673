# SPDX-License-Identifier: GPL-2.0-or-later
"""dconf waits for the answer of a D-Bus service, dconf-service. The service writes the settings to the home directory, and
waits for its slow disk."""
import os

from scene import proc

HELD_OUT = False
NEEDS = {"dconf": "dconf-cli", "/usr/libexec/dconf-service": "dconf-service", "dbus-daemon": "dbus-daemon",
         "dbus-send": "dbus-bin", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
KEYS = 3000


def play(s):
    disk, _, limit = s.slow_disk(64)
    address = "unix:path=" + s.path("bus")
    run = s.path("run")
    os.mkdir(run, 0o700)
    names = {"DBUS_SESSION_BUS_ADDRESS": address, "HOME": disk, "XDG_CONFIG_HOME": os.path.join(disk, "config"),
             "XDG_RUNTIME_DIR": run, "XDG_CACHE_HOME": os.path.join(disk, "cache")}
    env = {**os.environ, **names}
    with_env = ["env", *("%s=%s" % x for x in names.items())]
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address], env=env)
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")), 30)
    with open(s.path("settings"), "w", encoding="ascii") as f:
        f.write("[/]\n" + "".join("key%d='%s'\n" % (i, "x" * 100) for i in range(KEYS)))
    s.out([*with_env, "sh", "-c", "dconf load /org/shop/ <settings"])
    s.out([*with_env, "dconf", "write", "/org/shop/open", "true"])
    s.role("service", next(p for p in s.living() if proc(p, "comm") == "dconf-service\n"))
    s.start("bystander", ["dconf", "watch", "/org/garden/"], env=env)
    s.out(["sync", "-f", disk])
    limit(20 << 10)

    s.begin()
    victim = s.start("victim", ["dconf", "write", "/org/shop/open", "false"], env=env)

    def writers():
        """The threads of dconf-service that wait in fsync for the disk."""
        found = []
        for tid in s.threads("service"):
            if proc(s.pid("service"), "syscall", tid).split()[0] in ("74", "75") and \
                    proc(s.pid("service"), "stat", tid).rpartition(")")[2].split()[0] == "D":
                found.append(tid)
        return found

    s.wait("dconf-service waits for the disk", writers)
    s.role("writer", s.pid("service"), writers()[0])
    s.during("dconf-service waits in fsync for the disk", lambda: writers() == [s.roles["writer"][1]])
    s.during("dconf waits", lambda: victim.poll() is None and s.state("victim") == "S")
    get_id = [*with_env, "dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
              "org.freedesktop.DBus.GetId"]
    s.during("the bus answers", lambda: "method return" in s.out(get_id, timeout=15))
    s.hang(victim="victim", culprits=["writer"], causes=["disk"], vague=["bus", "service"], wrong=["bystander", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("the setting is there", s.out([*with_env, "dconf", "read", "/org/shop/open"]) == "false")
