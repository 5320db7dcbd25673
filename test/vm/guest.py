# SPDX-License-Identifier: GPL-2.0-or-later
"""Boots a Debian kernel in QEMU, in software emulation, from a temporary initramfs.

The reasons for some options:
- thread=single: the CPUs of the guest run in turn, in one thread of the host. With a thread for each CPU, QEMU may fail
  when a BPF program is attached: one CPU then changes kernel code that the other CPU may run at the same time.
- tsc=reliable: without it, kernel 6.1 reads the time from the HPET.
- no_timer_check: without it, the kernel may panic at boot if the host is busy.

Because the CPUs run in turn, times in the guest mean little.
"""
import glob
import os
import re
import shutil
import struct
import subprocess
import tempfile

PACKAGES = {"6.1": "linux-image-cloud-amd64", "6.12": "linux-image-6.12-cloud-amd64"}
TOOLS = ["qemu-system-x86_64", "busybox", "cpio", "ldd", "apt-get", "dpkg"]
MODULES = ["virtio_pci", "virtio_blk", "ext4"]
MODULE_TOOLS = ["depmod", "modprobe", "xz"]
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


# The root is on a disk. At the first boot, /payload is copied to the disk.
INIT_DISK = """#!/bin/sh
/usr/bin/busybox --install -s /usr/bin
export PATH=/usr/bin:/usr/sbin
mount -t devtmpfs dev /dev
for m in /modules/*.ko; do insmod $m; done
mkdir /disk
mount -t ext4 /dev/vda /disk || poweroff -f
[ -e /disk/.payload ] || { cp -a /payload/. /disk/ && touch /disk/.payload; }
mount -o move /dev /disk/dev
exec switch_root /disk /sbin/init
"""


class Unavailable(Exception):
    """This machine cannot run the guest. The text says why."""


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


def unpack(version, where):
    # apt downloads as another user, which must be able to write here.
    os.chmod(where, 0o777)
    package = "linux-image-" + version
    r = subprocess.run(["apt-get", "-q", "download", package], cwd=where, capture_output=True, text=True, check=False)
    debs = glob.glob(os.path.join(where, "*.deb"))
    if r.returncode or not debs:
        raise Unavailable("apt-get download %s: %s" % (package, r.stderr.strip()[-200:]))
    subprocess.run(["dpkg", "-x", debs[0], os.path.join(where, "x")], check=True)


def fetch(series, with_modules=False):
    """(version, path) of the newest ELF kernel of the series, downloaded once. If with_modules, the modules for a
    disk are in modules_dir(version)."""
    try:
        version = newest_package(series)[len("linux-image-"):]
    except Unavailable:
        had = sorted(glob.glob(os.path.join(cache_dir(), "vmlinux-%s.[0-9]*" % series)))
        if not had:
            raise
        version = os.path.basename(had[-1])[len("vmlinux-"):]
    path = os.path.join(cache_dir(), "vmlinux-" + version)
    if os.path.exists(path) and (not with_modules or os.path.exists(modules_dir(version))):
        return version, path
    os.makedirs(cache_dir(), exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ctrace-vm-") as tmp:
        unpack(version, tmp)
        extract(os.path.join(tmp, "x", "boot", "vmlinuz-" + version), path)
        if with_modules:
            keep_modules(version, os.path.join(tmp, "x"))
    return version, path


def modules_dir(version):
    return os.path.join(cache_dir(), "modules-" + version)


def keep_modules(version, root):
    """Keeps MODULES and their dependencies, in the order of loading."""
    missing = [t for t in MODULE_TOOLS if not shutil.which(t)]
    if missing:
        raise Unavailable("not installed: " + ", ".join(missing))
    part = "%s.%d" % (modules_dir(version), os.getpid())
    os.makedirs(part)
    subprocess.run(["depmod", "-b", root, version], check=True)
    seen = []
    for module in MODULES:
        out = subprocess.run(["modprobe", "-d", root, "-S", version, "--show-depends", module], capture_output=True,
                             text=True, check=True).stdout
        seen += [f for f in re.findall(r"^insmod (\S+)", out, re.M) if f not in seen]
    for i, name in enumerate(seen):
        ko = os.path.join(part, "%02d-%s" % (i, os.path.basename(name).split(".ko")[0] + ".ko"))
        with open(ko, "wb") as f:
            subprocess.run(["xz" if name.endswith(".xz") else "cat"] + (["-dc"] if name.endswith(".xz") else []) + [name],
                           stdout=f, check=True)
    os.rename(part, modules_dir(version))


def extract(bzimage, path):
    """Extracts the ELF kernel from a bzImage, so that the guest need not decompress it."""
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
    # After the compressed data, the build of the kernel adds 4 bytes with the size, except for gzip. The tools refuse
    # these bytes.
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


def put(root, there, here):
    # The guest's /bin, /sbin, /lib and /lib64 are symbolic links.
    there = re.sub(r"^/(bin|sbin|lib|lib64)/", r"/usr/\1/", there)
    dst = root + there
    os.makedirs(os.path.dirname(dst), exist_ok=True)
    shutil.copy(os.path.realpath(here), dst)


def skeleton(root, init):
    for d in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "dev", "proc", "sys", "tmp", "run", "etc", "root"):
        os.makedirs(os.path.join(root, d))
    for d in "bin", "sbin", "lib", "lib64":
        os.symlink("usr/" + d, os.path.join(root, d))
    put(root, "/usr/bin/busybox", shutil.which("busybox"))
    os.symlink("busybox", root + "/usr/bin/sh")
    with open(root + "/init", "w", encoding="utf-8") as f:
        f.write(init)
    os.chmod(root + "/init", 0o755)


def archive(root, out):
    with open(out, "wb") as f:
        names = subprocess.run(["find", ".", "-mindepth", "1"], cwd=root, capture_output=True, check=True).stdout
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names, stdout=f, check=True)


def pack(files, script, out):
    """Writes an initramfs. files: {path in the guest: path here}; their libraries are added."""
    with tempfile.TemporaryDirectory(prefix="ctrace-vm-") as root:
        skeleton(root, INIT)
        for there, here in files.items():
            put(root, there, here)
            for lib in libraries(here):
                put(root, lib, lib)
        put(root, "/run-in-guest", script)
        with open(root + "/etc/passwd", "w", encoding="utf-8") as f:
            f.write("root:x:0:0:root:/root:/bin/sh\n")
        with open(root + "/etc/group", "w", encoding="utf-8") as f:
            f.write("root:x:0:\n")
        os.chmod(root + "/run-in-guest", 0o755)
        archive(root, out)


def pack_for_disk(files, version, out):
    """Writes an initramfs for a guest whose disk has the libraries. files: {path on the disk: path here}."""
    with tempfile.TemporaryDirectory(prefix="ctrace-vm-") as root:
        skeleton(root, INIT_DISK)
        shutil.copytree(modules_dir(version), root + "/modules")
        for there, here in files.items():
            put(root + "/payload", there, here)
        archive(root, out)


def tsc_khz():
    """The frequency of this machine's time stamp counter, or None. The guest has the same counter, and must not measure
    it: on a busy host the result is too low, and the guest's clock runs several times too fast."""
    log = subprocess.run(["dmesg"], capture_output=True, text=True, errors="replace", check=False).stdout
    found = re.findall(r"tsc: (?:Detected|Refined TSC clocksource calibration:) ([\d.]+) MHz", log)
    return round(float(found[-1]) * 1000) if found else None


def boot(kernel, initrd, where, timeout, disk=None, append=""):
    """Runs the guest until it powers off or reboots. disk: the image of a disk, to which the guest may write. Returns (the
    guest's output, the complaints of its kernel)."""
    output, console = os.path.join(where, "output"), os.path.join(where, "console")
    khz = tsc_khz()
    cmd = ["qemu-system-x86_64", "-accel", "tcg,thread=single", "-M", "pc", "-cpu", "max", "-smp", "2", "-m", "1G",
           "-nodefaults", "-display", "none", "-no-reboot", "-kernel", kernel, "-initrd", initrd,
           "-append", "console=ttyS0 panic=-1 quiet loglevel=5 tsc=reliable no_timer_check " + append +
           (" tsc_early_khz=%d" % khz if khz else ""),
           "-serial", "file:" + console, "-serial", "file:" + output]
    if disk:
        cmd += ["-drive", "file=%s,format=raw,if=virtio,cache=unsafe" % disk]
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
