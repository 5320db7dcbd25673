# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots a Debian kernel in QEMU, in software emulation, from a throw-away initramfs.

What was learned about it: one host thread for all guest CPUs, or QEMU loses races with the kernel's patching of
its own code when BPF programs are attached; tsc=reliable, or 6.1 falls back to the HPET; no_timer_check, or a
busy host makes the kernel panic at boot.  Times in the guest mean little: two busy CPUs take turns.
"""
import glob
import os
import re
import shutil
import struct
import subprocess
import tempfile

# What apt calls the newest kernel of a series.
PACKAGES = {"6.1": "linux-image-cloud-amd64", "6.12": "linux-image-6.12-cloud-amd64"}
TOOLS = ["qemu-system-x86_64", "busybox", "cpio", "ldd", "apt-get", "dpkg"]
COMPLAINT = re.compile(r"Oops|BUG:|WARNING:|Kernel panic|general protection|rcu.*stall|soft lockup")

INIT = """#!/bin/sh
/usr/bin/busybox --install -s /usr/bin
export PATH=/usr/bin:/usr/sbin HOME=/root LC_ALL=C TERM=dumb
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts devpts /dev/pts
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
mount -t bpf bpf /sys/fs/bpf 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup 2>/dev/null
ln -s /proc/self/fd /dev/fd
ip link set lo up
stty -F /dev/ttyS1 raw -echo
cd /root
setsid /run-in-guest < /dev/null > /dev/ttyS1 2>&1
echo "@@status $?" > /dev/ttyS1
poweroff -f
"""


class Unavailable(Exception):
    """The guest cannot be had on this machine; says why."""


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("CTRACE_VM_DIR") or os.path.join(base, "ctrace-vm")


def check_tools():
    missing = [t for t in TOOLS if not shutil.which(t)]
    if os.uname().machine != "x86_64":
        raise Unavailable("the guests are for x86-64")
    if missing:
        raise Unavailable("not installed: " + ", ".join(missing))
    with open(shutil.which("busybox"), "rb") as f:
        if b"ld-linux" in f.read(4096):
            raise Unavailable("busybox is not static: install busybox-static")


def newest_package(series):
    r = subprocess.run(["apt-cache", "depends", PACKAGES[series]], capture_output=True, text=True, check=False)
    m = re.search(r"Depends: (linux-image-\S+)", r.stdout)
    if not m:
        raise Unavailable("apt knows no %s; its lists may be missing (apt-get update)" % PACKAGES[series])
    return m.group(1)


def fetch(series):
    """The ELF kernel of the series, downloaded once: (version, path)."""
    try:
        package = newest_package(series)
    except Unavailable:
        kept = sorted(glob.glob(os.path.join(cache_dir(), "vmlinux-%s.[0-9]*" % series)))
        if not kept:
            raise
        return os.path.basename(kept[-1])[len("vmlinux-"):], kept[-1]
    version = package[len("linux-image-"):]
    path = os.path.join(cache_dir(), "vmlinux-" + version)
    if not os.path.exists(path):
        os.makedirs(cache_dir(), exist_ok=True)
        # apt's own user, who does the download, must be able to write there
        with tempfile.TemporaryDirectory(prefix="ctrace-vm-") as tmp:
            os.chmod(tmp, 0o777)
            r = subprocess.run(["apt-get", "-q", "download", package], cwd=tmp, capture_output=True, text=True,
                               check=False)
            debs = glob.glob(os.path.join(tmp, "*.deb"))
            if r.returncode or not debs:
                raise Unavailable("apt-get download %s: %s" % (package, r.stderr.strip()[-200:]))
            subprocess.run(["dpkg", "-x", debs[0], os.path.join(tmp, "x")], check=True)
            extract(os.path.join(tmp, "x", "boot", "vmlinuz-" + version), path)
    return version, path


def extract(bzimage, path):
    """The ELF kernel out of a bzImage: QEMU starts it directly, which saves the decompression in the guest."""
    with open(bzimage, "rb") as f:
        data = f.read()
    offset, length = struct.unpack_from("<II", data, 0x248)
    start = ((data[0x1f1] or 4) + 1) * 512 + offset
    payload = data[start:start + length]
    for magic, command, tail in ((b"\x28\xb5\x2f\xfd", "zstd", 4), (b"\x02\x21\x4c\x18", "lz4", 4),
                                 (b"\xfd7zXZ", "xz", 4), (b"\x1f\x8b", "gzip", 0)):
        if payload.startswith(magic):
            break
    else:
        raise Unavailable("the kernel is compressed in a way that is not known")
    if not shutil.which(command):
        raise Unavailable("not installed: " + command)
    # the kernel's build appends the size, which the tools do not know
    elf = subprocess.run([command, "-dc"], input=payload[:len(payload) - tail], capture_output=True, check=False)
    if elf.stdout[:4] != b"\x7fELF":
        raise Unavailable("no ELF kernel in " + bzimage)
    part = "%s.%d" % (path, os.getpid())
    with open(part, "wb") as f:
        f.write(elf.stdout)
    os.rename(part, path)


def libraries(binary):
    out = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False).stdout
    if "not found" in out:
        raise Unavailable("libraries are missing for %s: %s" % (binary, out))
    return re.findall(r"(/\S+) \(0x", out)


def pack(files, script, out):
    """files: {path in the guest: path here}.  Their libraries come with them."""
    with tempfile.TemporaryDirectory(prefix="ctrace-vm-") as root:
        for d in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "dev", "proc", "sys", "tmp", "run", "etc", "root"):
            os.makedirs(os.path.join(root, d))
        for d in "bin", "sbin", "lib", "lib64":
            os.symlink("usr/" + d, os.path.join(root, d))

        def put(there, here):
            # through no symbolic link of the guest's root
            there = re.sub(r"^/(bin|sbin|lib|lib64)/", r"/usr/\1/", there)
            dst = root + there
            os.makedirs(os.path.dirname(dst), exist_ok=True)
            shutil.copy(os.path.realpath(here), dst)

        put("/usr/bin/busybox", shutil.which("busybox"))
        os.symlink("busybox", root + "/usr/bin/sh")
        for there, here in files.items():
            put(there, here)
            for lib in libraries(here):
                put(lib, lib)
        put("/run-in-guest", script)
        with open(root + "/etc/passwd", "w", encoding="utf-8") as f:
            f.write("root:x:0:0:root:/root:/bin/sh\n")
        with open(root + "/etc/group", "w", encoding="utf-8") as f:
            f.write("root:x:0:\n")
        with open(root + "/init", "w", encoding="utf-8") as f:
            f.write(INIT)
        os.chmod(root + "/init", 0o755)
        os.chmod(root + "/run-in-guest", 0o755)
        with open(out, "wb") as f:
            names = subprocess.run(["find", ".", "-mindepth", "1"], cwd=root, capture_output=True, check=True).stdout
            subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names, stdout=f, check=True)


def boot(kernel, initrd, where, timeout):
    """Runs the guest to its end: (what it printed, what its kernel complained of)."""
    output, console = os.path.join(where, "output"), os.path.join(where, "console")
    cmd = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-M", "pc", "-cpu", "max", "-smp", "2", "-m", "1G",
           "-nodefaults", "-display", "none", "-no-reboot", "-kernel", kernel, "-initrd", initrd,
           "-append", "console=ttyS0 panic=-1 quiet loglevel=5 tsc=reliable no_timer_check",
           "-serial", "file:" + console, "-serial", "file:" + output]
    try:
        r = subprocess.run(cmd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                           check=False)
        ended = "qemu: exit %d: %s" % (r.returncode, r.stderr.strip()[-300:])
    except subprocess.TimeoutExpired:
        ended = "still running after %d s" % timeout
    with open(output, encoding="utf-8", errors="replace") as f:
        text = f.read()
    with open(console, encoding="utf-8", errors="replace") as f:
        log = f.read()
    if "@@status" not in text:
        raise RuntimeError("%s; the end of the console: %s" % (ended, log[-1500:]))
    return text, [line for line in log.splitlines() if COMPLAINT.search(line)]
