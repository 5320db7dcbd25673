# SPDX-License-Identifier: GPL-2.0-or-later
"""Hangs of ordinary programs whose truth is known: six kinds, two variants of each.

A scene is a generator that gets a Stage. It first yields while nothing hangs, so that the daemon learns the habits of
programs that already run. Then it makes a task hang for stage.seconds, and yields a Hang when the hang begins.
"""
import collections
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time

from lib import fuseserver
from lib import Failed, Skipped, cgroup2, in_cgroup, run, run_for

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "bench"))
from loads import free_port  # noqa: E402  pylint: disable=wrong-import-position

SCRIPTS = os.path.join(HERE, "..", "storms", "hung")
COMPUTE = ["perl", "-e", "for (;;) { $x = ($x * 3 + 1) % 1000003 }"]
# Works for about 20 ms, ten times a second.
SERVE = ["perl", "-e", "for (;;) { select undef, undef, undef, 0.08; for (1..200000) { $x = ($x * 3 + 1) % 1000003 } }"]

# - roots: the tasks or processes to blame
# - causes: a right answer has one of these causes
# - kinds: kinds of resources for which the victim may wait. If an answer blames the victim, but names a cause and a
#   resource of one of these kinds, it is not WRONG, but unknown
# - after: only the end of the hang shows the task to blame, so the snapshot is taken after the hang
# - computing: the roots compute. Then the cause `starved` is also right, if the root waited for a CPU longer than it
#   ran: see judge() in hang_judge.py
# - starving: the victim does not block, but gets no CPU. Even before the hang, a storm may take the CPU from the
#   victim. So the test asks only about the time of the hang
Hang = collections.namedtuple("Hang", "victim roots causes kinds after computing starving", defaults=[False, False, False])
Scene = collections.namedtuple("Scene", "name text programs begin")


class Stage(contextlib.ExitStack):
    """A directory and the processes of one hang. close() ends the processes."""

    def __init__(self, where, programs, seconds):
        super().__init__()
        self.where, self.programs, self.seconds = where, programs, seconds

    def path(self, name):
        return os.path.join(self.where, name)

    def write(self, name, text):
        """Returns the path of the file."""
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def start(self, cmd, **kw):
        """Starts a process. close() ends it. If this test is killed, the kernel ends it."""
        kw.setdefault("stdin", subprocess.DEVNULL)
        kw.setdefault("stdout", subprocess.DEVNULL)
        return self.enter_context(run_for(["setpriv", "--pdeathsig", "KILL", *cmd], **kw))

    def told(self, cmd, until):
        """Starts a program, and reads its lines ROLE=TID up to the line `until`. Returns (process, {role: [tids]})."""
        p = self.start(cmd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = collections.defaultdict(list)
        for line in p.stdout:
            if line == until + "\n":
                return p, told
            what, tid = line.split("=")
            told[what].append(int(tid))
        raise Failed("%s did not say %s" % (cmd[0], until))

    def program(self, name):
        return [os.path.join(self.programs, name), str(self.seconds)]

    def script(self, name, *args):
        return ["/usr/bin/python3", os.path.join(SCRIPTS, name), *args, str(self.seconds)]


def shell(*cmd):
    r = run(["sh", "-c", *cmd], timeout=60)
    if r.returncode:
        raise Skipped("cannot be done here: %s" % r.stderr.strip()[-200:])
    return r.stdout.strip()


def put(path, text):
    try:
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
    except OSError as e:
        raise Skipped("cannot be set here: %s" % e) from None


def control_group(stage, controller, name):
    """Makes a control group. Returns its path, and whether it is of version 1."""
    old = os.path.join("/sys/fs/cgroup", controller)
    new = cgroup2()
    if not os.path.isdir(old):
        with open(os.path.join(new or "/", "cgroup.controllers"), encoding="ascii") as f:
            if controller not in f.read().split():
                raise Skipped("there is no controller %s of control groups" % controller)
        put(os.path.join(new, "cgroup.subtree_control"), "+" + controller)
    group = os.path.join(old if os.path.isdir(old) else new, "ctrace-test-" + name)
    os.makedirs(group, exist_ok=True)
    stage.callback(os.rmdir, group)
    return group, os.path.isdir(old)


def on_command(stage, cmd, causes, after):
    p, told = stage.told(cmd, "ready")
    yield None
    p.stdin.write("\n")
    p.stdin.flush()
    if p.stdout.readline() != "hung\n":
        raise Failed("%s does not hang" % cmd[0])
    yield Hang(told["victim"][0], told["root"], causes, ["futex"], after)


def cache(stage):
    return on_command(stage, stage.program("cache"), ["lock-holder", "timer"], False)


def settings(stage):
    # A lock of Python is a semaphore without an owner. Only the next post shows the task to blame.
    return on_command(stage, stage.script("settings.py"), ["lock-holder", "timer", "slow-peer"], True)


def child(pid):
    for _ in range(100):
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
            pids = f.read().split()
        if pids:
            return int(pids[0])
        time.sleep(0.05)
    raise Failed("process %d starts no other" % pid)


def flock(stage):
    yield None
    lock = stage.path("lock")
    owner = stage.start(["flock", lock, "sleep", str(stage.seconds)])
    sleeper = child(owner.pid)
    victim = stage.start(["flock", lock, "true"])
    yield Hang(victim.pid, [owner.pid, sleeper], ["lock-holder", "timer"], ["file-lock"])


def ledger(stage):
    yield None
    _, told = stage.told(stage.script("ledger.py", stage.path("ledger.db")), "hung")
    victim = stage.start(["sqlite3", "-cmd", ".timeout 60000", stage.path("ledger.db"), "insert into ledger values (5)"])
    yield Hang(victim.pid, told["root"], ["lock-holder", "polling", "timer"], ["file-lock"])


def stop(stage, pid):
    os.kill(pid, signal.SIGSTOP)
    stage.callback(os.kill, pid, signal.SIGCONT)
    return [pid, os.getpid()]


def redis_client(stage):
    port = str(free_port())
    server = stage.start(["redis-server", "--bind", "127.0.0.1", "--port", port, "--save", "", "--dir", stage.where])
    time.sleep(1)
    client = stage.start(["redis-cli", "-p", port, "-r", "1000000", "-i", "0.05", "ping"])
    yield None
    yield Hang(client.pid, stop(stage, server.pid), ["stopped"], ["tcp"])


def pipeline(stage):
    r, w = os.pipe()
    producer = stage.start(["perl", "-e", '$| = 1; for (;;) { print "row\\n"; select undef, undef, undef, 0.05 }'], stdout=w)
    consumer = stage.start(["wc", "-l"], stdin=r)
    os.close(r)
    os.close(w)
    yield None
    yield Hang(consumer.pid, stop(stage, producer.pid), ["stopped"], ["pipe"])


def jobs(stage):
    yield None
    _, told = stage.told(stage.program("jobs"), "hung")
    yield Hang(told["victim"][0], told["root"], ["queueing", "busy", "slow-peer"], ["futex", "queue"], after=True,
               computing=True)


def thumbnails(stage):
    yield None
    _, told = stage.told(stage.script("thumbnails.py"), "hung")
    yield Hang(told["victim"][0], told["root"], ["queueing", "timer", "slow-peer"], ["futex", "queue"], after=True)


def loop_disk(stage):
    """Mounts an ext4 on a loop device to which tasks may write only 1 MiB/s. Returns the mount point, the control group
    whose tasks are limited (None: all tasks are limited), and a function that removes the limit."""
    where = stage.path("mnt")
    os.mkdir(where)
    image = stage.path("image")
    device = shell("export PATH=$PATH:/sbin:/usr/sbin; truncate -s 64M \"$0\" && mkfs.ext4 -q -F -m0 \"$0\" && "
                   "losetup -f --show \"$0\"", image)
    stage.callback(run, ["losetup", "-d", device])
    shell('mount "$0" "$1" && sync -f "$1"', device, where)
    stage.callback(run, ["umount", "-l", where])
    with open("/sys/block/%s/dev" % os.path.basename(device), encoding="ascii") as f:
        number = f.read().strip()
    old = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device"
    if os.path.exists(old):
        limit, slow, fast, group = old, "%s %d", "%s 0", None
    else:
        group = control_group(stage, "io", "disk")[0]
        limit, slow, fast = os.path.join(group, "io.max"), "%s wbps=%d", "%s wbps=max"
    put(limit, slow % (number, 1 << 20))
    return where, group, lambda: put(limit, fast % number)


def slow_fsync(stage):
    where, group, speed_up = loop_disk(stage)
    yield None
    cmd = ["dd", "if=/dev/zero", "of=" + os.path.join(where, "backup"), "bs=1M", "count=%d" % (stage.seconds + 2),
           "conv=fsync"]
    victim = stage.start(in_cgroup(group, cmd) if group else cmd, stderr=subprocess.DEVNULL)
    stage.callback(speed_up)
    yield Hang(victim.pid, [victim.pid], ["disk"], ["disk"])


class SleepyServer(fuseserver.Server):
    """A file system whose server sleeps before it answers an fsync."""

    def __init__(self, where, seconds):
        super().__init__(where)
        self.seconds = seconds

    def answer(self, op, node, body):
        if op == fuseserver.FSYNC:
            time.sleep(self.seconds)
        return super().answer(op, node, body)


def slow_mount(stage):
    where = stage.path("mnt")
    os.mkdir(where)
    server = SleepyServer(where, stage.seconds)
    server.start()
    stage.callback(server.close)
    yield None
    victim = stage.start(["dd", "if=/dev/zero", "of=" + os.path.join(where, "report"), "bs=4k", "count=1", "conv=fsync"],
                         stderr=subprocess.DEVNULL)
    yield Hang(victim.pid, [server.pid], ["slow-peer", "disk", "timer"], ["fuse"])


def real_time(stage):
    cpu = str(max(os.sched_getaffinity(0)))
    victim = stage.start(["taskset", "-c", cpu, *SERVE])
    yield None
    hog = stage.start(["chrt", "-f", "50", "taskset", "-c", cpu, *COMPUTE], stderr=subprocess.DEVNULL)
    time.sleep(0.2)
    if hog.poll() is not None:
        raise Skipped("no task may become a real-time task here")
    yield Hang(victim.pid, [hog.pid], ["starved"], ["cpu"], starving=True)


def quota(stage):
    group, old = control_group(stage, "cpu", "quota")
    victim = stage.start(in_cgroup(group, SERVE))
    yield None
    for name, text in ("cpu.cfs_period_us", "1000000"), ("cpu.cfs_quota_us", "1000") if old else [("cpu.max", "1000 1000000")]:
        put(os.path.join(group, name), text)
    yield Hang(victim.pid, [victim.pid], ["starved"], ["cpu"], starving=True)


SCENES = {
    "mutex": [Scene("cache", "a C program: the owner of a mutex sleeps", [], cache),
              Scene("settings", "a Python program: the owner of a lock sleeps", ["python3"], settings)],
    "file-lock": [Scene("flock", "flock(1) beside flock(1)", ["flock"], flock),
                  Scene("ledger", "sqlite3 beside an open transaction", ["python3", "sqlite3"], ledger)],
    "stopped": [Scene("redis-cli", "redis-cli of a stopped server", ["redis-server", "redis-cli"], redis_client),
                Scene("pipeline", "wc reads from a stopped perl", ["perl", "wc"], pipeline)],
    "pool": [Scene("jobs", "a C program: both workers compute", [], jobs),
             Scene("thumbnails", "a Python executor: all workers sleep", ["python3"], thumbnails)],
    "disk": [Scene("slow-fsync", "dd on a disk of 1 MiB/s", ["dd", "losetup", "setpriv"], slow_fsync),
             Scene("slow-mount", "dd on a FUSE file system whose server sleeps", ["dd"], slow_mount)],
    "starved": [Scene("real-time", "perl beside a real-time perl on its CPU", ["perl", "chrt", "taskset"], real_time),
                Scene("quota", "perl whose control group gets 1 ms of CPU a second", ["perl"], quota)],
}


def missing(scene):
    return [p for p in scene.programs if not shutil.which(p, path=os.environ["PATH"] + ":/sbin:/usr/sbin")]
