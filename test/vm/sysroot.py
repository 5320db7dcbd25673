# SPDX-License-Identifier: GPL-2.0-or-later
"""A small Debian root with systemd as PID 1, made once and kept: the disk from which a guest boots.

The root has the packages on which the ctrace package depends: the guest needs no network. If this file changes, the
root is made again. There is no udev, so units that wait for devices are masked. Units that only take
time are masked too.
"""
import hashlib
import os
import shutil
import subprocess
import tempfile

from guest import Unavailable, cache_dir

SUITE = "bookworm"
PACKAGES = ["systemd", "systemd-sysv", "passwd", "libbpf1", "libcap2", "libdw1", "libelf1", "libinih1", "libjansson4",
            "libncursesw6", "libprotobuf-c1", "libseccomp2", "libsystemd0", "libzstd1", "zlib1g"]
MASKED = ["getty@tty1.service", "serial-getty@ttyS0.service", "console-getty.service", "getty-static.service",
          "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer",
          "e2scrub_reap.service", "fstrim.timer", "systemd-pstore.service", "proc-sys-fs-binfmt_misc.automount",
          "sys-fs-fuse-connections.mount", "modprobe@configfs.service", "modprobe@dm_mod.service",
          "modprobe@drm.service", "modprobe@efi_pstore.service", "modprobe@fuse.service", "modprobe@loop.service",
          "systemd-random-seed.service", "systemd-modules-load.service", "dev-hugepages.mount",
          "systemd-update-utmp.service", "systemd-update-utmp-runlevel.service"]
BULK = ["var/cache/apt", "var/lib/apt/lists", "var/log/apt", "usr/share/doc", "usr/share/man", "usr/share/info",
        "usr/share/locale", "usr/share/lintian", "usr/share/bug", "usr/share/zoneinfo", "usr/lib/udev/hwdb.d",
        "usr/lib/x86_64-linux-gnu/gconv"]
TOOLS = ["debootstrap", "mke2fs"]
IMAGE_BYTES = 1 << 30


def settle(root):
    """Makes files that the first boot would make, and removes differences between boots."""
    def write(path, text):
        path = os.path.join(root, path)
        if os.path.islink(path):
            os.unlink(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    for path in BULK:
        shutil.rmtree(os.path.join(root, path), ignore_errors=True)
    write("etc/machine-id", "0123456789abcdef0123456789abcdef\n")
    write("etc/hostname", "guest\n")
    write("etc/hosts", "127.0.0.1 localhost guest\n")
    write("etc/fstab", "")
    write("etc/resolv.conf", "")
    # The test reads the journal of the previous boot, too.
    write("etc/systemd/journald.conf.d/guest.conf", "[Journal]\nStorage=persistent\nSystemMaxUse=32M\n")
    os.makedirs(os.path.join(root, "var/log/journal"), exist_ok=True)
    for unit in MASKED:
        os.symlink("/dev/null", os.path.join(root, "etc/systemd/system", unit))


def recipe():
    with open(os.path.abspath(__file__), "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:16]


def build(path):
    missing = [t for t in TOOLS if not shutil.which(t, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")]
    if missing:
        raise Unavailable("not installed: " + ", ".join(missing))
    if os.geteuid():
        raise Unavailable("the Debian root can only be made by root")
    with tempfile.TemporaryDirectory(prefix="ctrace-vm-") as tmp:
        root, image = os.path.join(tmp, "root"), path + ".part"
        r = subprocess.run(["debootstrap", "--variant=minbase", "--include=" + ",".join(PACKAGES), SUITE, root],
                           capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if r.returncode:
            raise Unavailable("debootstrap: " + (r.stdout + r.stderr).strip()[-300:])
        settle(root)
        with open(image, "wb") as f:
            f.truncate(IMAGE_BYTES)
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "^metadata_csum,^huge_file", "-J", "size=8",
                        "-E", "lazy_itable_init=1", "-N", "40000", "-m", "0", "-d", root, image], check=True)
    os.rename(image, path)


def image():
    """The path of the disk image. Do not write to it."""
    path = os.path.join(cache_dir(), "root-%s-%s.ext4" % (SUITE, recipe()))
    if not os.path.exists(path):
        os.makedirs(cache_dir(), exist_ok=True)
        for name in os.listdir(cache_dir()):
            if name.startswith("root-") and ".ext4" in name:
                os.unlink(os.path.join(cache_dir(), name))
        build(path)
    return path


if __name__ == "__main__":
    print(image())
