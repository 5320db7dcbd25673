# SPDX-License-Identifier: GPL-2.0-or-later
"""lvs waits for the lock of a volume group. vgremove owns it, and waits until its user answers "really remove?
[y/n]"."""
import os

HELD_OUT = True
NEEDS = {"lvs": "lvm2", "vgremove": "lvm2", "losetup": "mount"}
CONFIG = """
config { checks = 0 }
devices {
 dir = "/dev"
 scan = [ "/dev" ]
 use_devicesfile = 0
 filter = [ "a|^%(one)s$|", "a|^%(two)s$|", "r|.*|" ]
 global_filter = [ "a|^%(one)s$|", "a|^%(two)s$|", "r|.*|" ]
 external_device_info_source = "none"
 obtain_device_list_from_udev = 0
}
global {
 locking_type = 1
 locking_dir = "%(where)s/locks"
 wait_for_locks = 1
 use_lvmpolld = 0
 event_activation = 0
 activation = 0
}
activation { monitoring = 0 udev_sync = 0 udev_rules = 0 }
backup { backup = 0 archive = 0 }
"""


def play(s):
    devices = []
    for name in "one.img", "two.img":
        with open(s.path(name), "wb") as f:
            f.truncate(32 << 20)
        devices.append(s.out(["losetup", "-f", "--show", s.path(name)]))
        s.callback(s.out, ["losetup", "-d", devices[-1]])
    for name in "etc", "locks":
        os.mkdir(s.path(name))
    with open(s.path("etc/lvm.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG % {"one": devices[0], "two": devices[1], "where": s.where})
    env = {**os.environ, "LVM_SYSTEM_DIR": s.path("etc"), "LVM_SUPPRESS_FD_WARNINGS": "1"}

    def lvm(*args):
        return ["env", "LVM_SYSTEM_DIR=" + env["LVM_SYSTEM_DIR"], "LVM_SUPPRESS_FD_WARNINGS=1", *args]

    group, other = "shop%d" % os.getpid(), "attic%d" % os.getpid()
    for name, device in (group, devices[0]), (other, devices[1]):
        s.out(lvm("pvcreate", "-q", device))
        s.out(lvm("vgcreate", "-q", name, device))
        s.out(lvm("lvcreate", "-q", "-an", "-Zn", "-Wn", "-L", "8M", "-n", "data", name))
    s.check("both volume groups can be listed", s.out(lvm("lvs", "--noheadings", group, other)).count("data") == 2)
    lock = s.path("locks/V_" + group)

    s.begin()
    s.start("remover", ["vgremove", group], env=env, talk=True)
    s.wait("vgremove asks its user", lambda: "[y/n]" in s.output("remover") and s.syscall("remover") == "read")
    s.check("vgremove has the lock of the group", s.locks(lock)["owners"] == [s.pid("remover")])
    victim = s.start("victim", ["lvs", "--noheadings", group], env=env)
    s.wait("lvs waits for the lock", lambda: s.locks(lock)["waiters"] == [victim.pid])
    s.during("vgremove has the lock for which lvs waits",
             lambda: s.locks(lock) == {"owners": [s.pid("remover")], "waiters": [victim.pid]})
    s.during("vgremove waits for the answer", lambda: s.syscall("remover") == "read" and s.state("remover") == "S" and
             os.readlink("/proc/%d/fd/0" % s.pid("remover")).startswith("pipe:"))
    s.during("lvs waits in flock", lambda: victim.poll() is None and s.syscall("victim") == "flock")
    s.during("another group can be listed", lambda: "data" in s.out(lvm("lvs", "--noheadings", other), timeout=8))
    s.hang(victim="victim", culprits=["remover", "test"], causes=["lock-holder", "external"])
    yield
    s.say("remover", "n")
    s.ended("victim")
    s.check("the volume is still there", "data" in s.output("victim"))
