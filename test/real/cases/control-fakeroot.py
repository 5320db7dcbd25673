# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: dpkg-deb makes one package after the other under fakeroot. Each asks faked about each file, and has its answer at
once."""
import os
import re
import subprocess

HELD_OUT = False
NEEDS = {"fakeroot-sysv": "fakeroot", "faked-sysv": "fakeroot", "dpkg-deb": "dpkg", "ipcrm": "util-linux"}
FILES = 150
LOOP = """
echo key $FAKEROOTKEY
read -r go
n=0
while [ ! -e enough ]; do
    n=$((n + 1))
    chown 7:7 shop/usr/share/shop/*
    dpkg-deb -Znone --build shop shop.deb >/dev/null && echo package $n
done
"""


def play(s):
    os.makedirs(s.path("shop/DEBIAN"))
    os.makedirs(s.path("shop/usr/share/shop"))
    with open(s.path("shop/DEBIAN/control"), "w", encoding="ascii") as f:
        f.write("Package: shop\nVersion: 1\nArchitecture: all\nMaintainer: Shop <shop@shop.test>\nDescription: parcels\n")
    for i in range(FILES):
        with open(s.path("shop/usr/share/shop/parcel%d" % i), "w", encoding="ascii") as f:
            f.write("parcel %d\n" % i * 20)
    s.start("packer", ["fakeroot-sysv", "--", "sh", "-c", LOOP], talk=True)
    s.wait("fakeroot is ready", lambda: re.search(r"key (\d+)\n", s.output("packer")))
    key = int(re.search(r"key (\d+)\n", s.output("packer")).group(1))
    for what, plus in ("-Q", 0), ("-Q", 1), ("-S", 2):
        s.callback(subprocess.run, ["ipcrm", what, "0x%08x" % (key + plus)], stderr=subprocess.DEVNULL, check=False)

    s.begin()
    s.say("packer", "go")

    def made():
        return s.output("packer").count("package")

    def goes_on():
        n = made()
        s.wait("a package is made", lambda: made() > n, 5)
        return True

    s.wait("packages are made", lambda: made() > 0)
    s.during("packages are made", goes_on)
    s.normal(victim="packer", causes=["busy", "chatty"])
    yield
    n = made()
    s.went_on("more packages are made", lambda: made() > n)
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("packer")
    s.check("faked was asked", " 7/7 " in s.out(["dpkg-deb", "-c", "shop.deb"]) or
            "7/7" in s.out(["sh", "-c", "dpkg-deb --fsys-tarfile shop.deb | tar --numeric-owner -tv"]))
