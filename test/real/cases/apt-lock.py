# SPDX-License-Identifier: GPL-2.0-or-later
"""apt-get waits for the lock of dpkg's database, in a private root. A dpkg owns the lock, and its postinst sleeps."""
import os

HELD_OUT = False
NEEDS = {"apt-get": "apt", "dpkg": "dpkg", "dpkg-deb": "dpkg"}


def package(s, name, postinst):
    where = s.path("src-" + name)
    os.makedirs(os.path.join(where, "DEBIAN"))
    with open(os.path.join(where, "DEBIAN", "control"), "w", encoding="utf-8") as f:
        f.write("Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: Test <test@example.org>\n"
                "Description: test\n" % name)
    with open(os.path.join(where, "DEBIAN", "postinst"), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n%s\n" % postinst)
    os.chmod(os.path.join(where, "DEBIAN", "postinst"), 0o755)
    os.chmod(os.path.join(where, "DEBIAN"), 0o755)
    s.out(["dpkg-deb", "-b", where, s.path(name + ".deb")])


def play(s):
    root = s.path("root")
    admin = os.path.join(root, "var/lib/dpkg")
    for d in ("info", "updates", "triggers"):
        os.makedirs(os.path.join(admin, d))
    for d in ("var/lib/apt/lists/partial", "var/cache/apt/archives/partial", "var/log/apt", "etc/apt/apt.conf.d",
              "etc/apt/preferences.d", "etc/apt/trusted.gpg.d", "etc/apt/sources.list.d"):
        os.makedirs(os.path.join(root, d))
    for f in "status", "available":
        with open(os.path.join(admin, f), "w", encoding="utf-8"):
            pass
    # With Debug::pkgDPkgPM, apt-get only prints the commands of dpkg.
    with open(s.path("apt.conf"), "w", encoding="utf-8") as f:
        f.write('Dir "%s"; Dir::State::status "%s/status"; DPkg::Lock::Timeout "60"; Debug::pkgDPkgPM "1";\n' % (root, admin))
    dpkg = ["dpkg", "--admindir", admin, "--instdir", root, "--force-script-chrootless", "--log", s.path("dpkg.log")]
    package(s, "done", "true")
    package(s, "slow", "sleep %d" % (s.seconds + 2))
    s.out([*dpkg, "-i", s.path("done.deb")])

    s.start("dpkg", [*dpkg, "-i", s.path("slow.deb")])
    s.wait("the postinst runs", lambda: s.child("dpkg", "slow.postinst"))
    s.role("postinst", s.child("dpkg", "slow.postinst"))
    s.wait("the postinst sleeps", lambda: s.child("postinst", "sleep"))
    s.role("sleeper", s.child("postinst", "sleep"))

    s.begin()
    victim = s.start("apt", ["apt-get", "-y", "remove", "done"],
                     env={**os.environ, "LC_ALL": "C", "APT_CONFIG": s.path("apt.conf")})
    lock = os.path.join(admin, "lock-frontend")
    s.wait("apt-get tries the lock", lambda: "held by process %d" % s.pid("dpkg") in s.output("apt"))
    s.during("dpkg owns the lock", lambda: s.locks(lock)["owners"] == [s.pid("dpkg")])
    s.during("the postinst sleeps", lambda: s.syscall("sleeper") == "clock_nanosleep")
    s.during("dpkg waits for the postinst", lambda: s.syscall("dpkg") == "wait4" and s.syscall("postinst") == "wait4")
    s.during("apt-get still wants the lock", lambda: victim.poll() is None)
    s.hang(victim="apt", culprits=["dpkg", "postinst", "sleeper"], causes=["lock-holder", "timer"])
    yield
    s.ended("dpkg")
    s.ended("apt")
    s.check("apt-get went on to remove the package", "dpkg" in s.output("apt").rpartition("Waiting for")[2])
