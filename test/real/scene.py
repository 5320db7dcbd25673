# SPDX-License-Identifier: GPL-2.0-or-later
"""The stage for real hangs of real programs. A case is one file cases/NAME.py. run_real plays it and asks ctrace.

How to write a case
-------------------
    '''One sentence: which task hangs, and which task is to blame.'''
    HELD_OUT = False                             # True: runs only with --held-out or by its name
    NEEDS = {"redis-server": "redis-server"}     # program -> the Debian package that has it

    def play(s):                                 # s is a Scene
        server = s.start("server", [...])        # a role, and its process
        s.wait("the server answers", lambda: s.connects(port))
        s.begin()                                # the hang begins with the next line
        server.send_signal(signal.SIGSTOP)
        s.start("victim", [...])
        s.during("the server is stopped", lambda: s.state("server") == "T")
        s.hang(victim="victim", culprits=["server"], causes=["stopped"])
        yield                                    # the hang lasts for s.seconds; run_real takes snapshots
        server.send_signal(signal.SIGCONT)       # the culprit lets go
        s.ended("victim")                        # the victim went on. This is the end of the hang

1. Start private programs only: files in s.where, ports of s.port(). All descendants of the test are killed at the end,
   also after a failure. s.callback(f, ...) undoes other things (mounts, control groups) after that.
2. A role is a name for a task. s.start() makes one; s.role(name, pid, tid) makes one of a child or a thread. A role whose
   tid is its pid stands for the whole process, except for tasks with a role of their own. The role "test" always exists:
   it is the test itself. Accept it as a culprit where it really is one, for example because it sent SIGSTOP.
3. The case proves its own truth from /proc, /proc/locks, ss or the program's own tables, and never from ctrace:
     s.during(text, f)   f() is true in the midst of the hang, and just before the culprit lets go
     s.wait(text, f)     f() becomes true within 10 s
     s.check(text, ok)   ok is true
     s.ended(role), s.went_on(text, f)   after the yield: the victim went on when the culprit let go
   If a check is false, the verdict is "invalid". A case needs s.during() or s.check() before its yield, and s.check(),
   s.ended() or s.went_on() after it. Otherwise, the verdict is "invalid" too.
4. s.hang(...) declares the one expected answer. Decide it before you see an answer of ctrace, and do not change it after:
     victim     the role that the questions are about
     culprits   a right answer names one of these roles as root cause ...
     causes     ... with one of these values of `cause` (doc/json.md)
     vague      roles that are true as root cause, but vague
     stuck      roles that hang with the victim, such as the server's thread that serves it. An answer that ends at one
                of them counts as an answer that ends at the victim
     wrong      roles that look guilty and are not
   A root cause outside of culprits, vague and stuck is wrong, whether it is listed in `wrong` or not. judge.py has the
   exact rules.
   A control is a case in which the program works as it should. It calls s.normal(victim, causes) instead of s.hang(...).
   A good answer says that nothing is wrong, or has one of the values of `causes`. These are harmless, such as "timer"
   for a program that sleeps on purpose.
"""
import contextlib
import ctypes
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "live"), os.path.join(HERE, "..", "..", "bench")]
from lib.hang_scenes import control_group  # noqa: E402  pylint: disable=wrong-import-position
from loads import free_port  # noqa: E402  pylint: disable=wrong-import-position

SECONDS = 5  # how long a hang lasts; a case may set another time, such as SECONDS = 8
WITHIN_S = 10  # a program is ready, and a victim goes on, within this time
PR_SET_CHILD_SUBREAPER = 36
SYSCALLS = {0: "read", 1: "write", 7: "poll", 23: "select", 35: "nanosleep", 42: "connect", 43: "accept", 44: "sendto",
            45: "recvfrom", 46: "sendmsg", 47: "recvmsg", 61: "wait4", 65: "semop", 72: "fcntl", 73: "flock", 74: "fsync",
            75: "fdatasync", 202: "futex", 230: "clock_nanosleep", 232: "epoll_wait", 247: "waitid", 257: "openat",
            270: "pselect6", 271: "ppoll", 281: "epoll_pwait", 288: "accept4"}  # x86-64


class Invalid(Exception):
    """The scene did not happen as it was meant."""


class Missing(Exception):
    """A program, a user or a right is not here."""


def proc(pid, name, tid=None):
    with open("/proc/%d/task/%d/%s" % (pid, tid or pid, name), encoding="utf-8", errors="replace") as f:
        return f.read()


def children(pid):
    found = []
    for path in glob.glob("/proc/%d/task/*/children" % pid):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as f:
            found += map(int, f.read().split())
    return found


def descendants(pid, without=()):
    found = []
    for child in children(pid):
        if child not in without:
            found += [child, *descendants(child, without)]
    return found


def adopt_orphans():
    """Orphaned descendants become children of this process, so that they can be found."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def find_program(name):
    """The path of a program, also outside of PATH."""
    path = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/" + name)) + [shutil.which(name, path=path)]
    return next((x for x in found if x), None)


def set_quota(group, old, us):
    """Lets the tasks of a control group run for `us` microseconds of each 100 ms; -1: without a limit. old: cgroup v1."""
    name, value = ("cpu.cfs_quota_us", str(us)) if old else ("cpu.max", "%s 100000" % (us if us > 0 else "max"))
    with open(os.path.join(group, name), "w", encoding="ascii") as f:
        f.write(value)


def throttled(group):
    with open(os.path.join(group, "cpu.stat"), encoding="ascii") as f:
        return int(re.search(r"nr_throttled (\d+)", f.read()).group(1))


class Scene(contextlib.ExitStack):
    def __init__(self, where, seconds, without):
        super().__init__()
        self.where, self.seconds, self.without = where, seconds, without  # without: processes that are not of the scene
        self.roles, self.processes, self.pids = {"test": (os.getpid(), os.getpid())}, {}, set()
        self.from_ns = self.to_ns = self.expected = None
        self.holds, self.checks = [], {"during": 0, "after": 0}  # holds: [(text, f)], true during the hang
        self.yielded = False

    # ---- programs and roles ----

    def path(self, name):
        return os.path.join(self.where, name)

    def port(self):
        return str(free_port())

    def start(self, role, cmd, user=None, talk=False, stop=signal.SIGTERM, **kw):
        """Starts a program. s.output(role) is its output; with `talk`, s.say(role, line) writes to its input.
        user: the account that runs it. stop: the signal that ends it."""
        become = ["setpriv"]
        if user:
            become += ["--reuid", user, "--regid", user, "--init-groups"]
        with open(self.path(role + ".out"), "wb") as out:
            p = subprocess.Popen([*become, "--pdeathsig", "KILL", find_program(cmd[0]) or cmd[0], *map(str, cmd[1:])],
                                 stdin=subprocess.PIPE if talk else subprocess.DEVNULL, stdout=out, stderr=out,
                                 start_new_session=True, **{"cwd": self.where, **kw})
        self.processes[role] = p, stop
        self.role(role, p.pid)
        self.wait("%s starts" % cmd[0], lambda: p.poll() is not None or proc(p.pid, "comm") != "setpriv\n")
        return p

    def role(self, name, pid, tid=None):
        self.roles[name] = pid, tid or pid
        return pid

    def out(self, cmd, user=None, timeout=60):
        become = ["setpriv", "--reuid", user, "--regid", user, "--init-groups", "--"] if user else []
        r = subprocess.run([*become, find_program(cmd[0]) or cmd[0], *map(str, cmd[1:])], stdin=subprocess.DEVNULL,
                           capture_output=True, text=True, errors="replace", timeout=timeout, cwd=self.where, check=False)
        if r.returncode:
            raise Invalid("%s: exit %d: %s" % (cmd[0], r.returncode, (r.stderr or r.stdout).strip()[-300:]))
        return r.stdout.strip()

    def say(self, role, line):
        p = self.processes[role][0]
        p.stdin.write(line.encode() + b"\n")
        p.stdin.flush()

    def ask(self, role, line):
        """Says a line to a program that runs with `talk`. Returns its answer."""
        before = len(self.output(role))
        self.say(role, line)
        self.wait("%s has an answer" % role, lambda: self.output(role)[before:].endswith("\n"))
        return self.output(role)[before:].strip()

    def output(self, role):
        with open(self.path(role + ".out"), encoding="utf-8", errors="replace") as f:
            return f.read()

    def control_group(self, controller, name):
        """A control group for lib.in_cgroup(). Returns its path, and whether it is of version 1."""
        return control_group(self, controller, name)

    # ---- the hang ----

    def slow_disk(self, megabytes, what="write", *options):
        """Mounts a file system on a loop device, with these options of mount(8). Returns its directory, the device, and a
        function that limits the bytes which programs read or write (`what`) a second. 0: no limit."""
        path = "/sys/fs/cgroup/blkio/blkio.throttle.%s_bps_device" % what  # of the root group, for one device
        if not os.path.exists(path):
            raise Missing("no limits of block I/O by control groups of version 1")
        image, disk = self.path("image"), self.path("disk")
        with open(image, "wb") as f:
            f.truncate(megabytes << 20)
        self.out(["mkfs.ext2", "-q", "-F", image])
        loop = self.out(["losetup", "-f", "--show", image])
        self.callback(self.out, ["losetup", "-d", loop])
        os.mkdir(disk)
        self.out(["mount", *options, loop, disk])

        def leave():
            for _ in range(100):  # after SIGKILL, a program may still use the disk for a moment
                if subprocess.run(["umount", disk], stderr=subprocess.DEVNULL, check=False).returncode == 0:
                    return
                time.sleep(0.1)
            self.out(["umount", "-l", disk])

        self.callback(leave)
        with open("/sys/block/%s/dev" % os.path.basename(loop), encoding="ascii") as f:
            device = f.read().strip()

        def limit(bps):
            with open(path, "w", encoding="ascii") as f:
                f.write("%s %d" % (device, bps))

        self.callback(limit, 0)
        return disk, loop, limit

    def begin(self):
        self.from_ns = time.monotonic_ns()

    def hang(self, victim, culprits, causes, vague=(), stuck=(), wrong=()):
        self.expected = {"control": False, "victim": victim, "culprits": list(culprits), "causes": list(causes),
                         "vague": list(vague), "stuck": list(stuck), "wrong": list(wrong)}

    def normal(self, victim, causes=()):
        self.hang(victim, [], causes)
        self.expected["control"] = True

    # ---- checks ----

    def _count(self):
        self.checks["after" if self.yielded else "during"] += 1

    def check(self, text, ok):
        if not ok:
            raise Invalid("not true: " + text)
        self._count()

    def during(self, text, f):
        self.holds.append((text, f))

    def hold(self):
        """Checks that the hang is as the case says."""
        for text, f in self.holds:
            try:
                ok = f()
            except (OSError, IndexError, ValueError) as e:
                raise Invalid("not true: %s (%s)" % (text, e)) from None
            self.check(text, ok)

    def wait(self, text, f, seconds=WITHIN_S):
        end = time.monotonic() + seconds
        while True:
            with contextlib.suppress(OSError, IndexError, ValueError):
                if f():
                    return
            if time.monotonic() > end:
                raise Invalid("not within %d s: %s" % (seconds, text))
            time.sleep(0.02)

    def went_on(self, text, f):
        self.wait(text, f)
        self.to_ns = time.monotonic_ns()
        self._count()

    def ended(self, role):
        p = self.processes[role][0]
        self.went_on("%s ends" % role, lambda: p.poll() is not None)
        self.check("%s ends with success, not with %s: %s" % (role, p.returncode, self.output(role)[-200:]), p.returncode == 0)

    # ---- facts of the kernel; `role` is the name of a role ----

    def pid(self, role):
        return self.roles[role][0]

    def state(self, role):
        """R, S, D, T (stopped), t (traced), Z."""
        pid, tid = self.roles[role]
        return proc(pid, "stat", tid).rpartition(")")[2].split()[0]

    def syscall(self, role):
        """Returns the name of the system call in which the task sleeps, or its number if SYSCALLS has no name for it.
        Returns "running" if the task does not sleep."""
        pid, tid = self.roles[role]
        number = proc(pid, "syscall", tid).split()[0]
        return SYSCALLS.get(int(number), number) if number.lstrip("-").isdigit() else number

    def wchan(self, role):
        pid, tid = self.roles[role]
        return proc(pid, "wchan", tid)

    def cpu_s(self, role):
        pid, tid = self.roles[role]
        return sum(map(int, proc(pid, "stat", tid).rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def uses_cpu(self, role, at_least=0.5, over_s=0.4):
        before, began = self.cpu_s(role), time.monotonic()
        time.sleep(over_s)
        return self.cpu_s(role) - before >= at_least * (time.monotonic() - began)

    def child(self, role, comm=None):
        for pid in children(self.pid(role)):
            with contextlib.suppress(OSError):
                if comm is None or proc(pid, "comm").strip() == comm:
                    return pid
        return None

    def threads(self, role, comm=None):
        pid = self.pid(role)
        tids = sorted(int(t) for t in os.listdir("/proc/%d/task" % pid))
        return [t for t in tids if comm is None or proc(pid, "comm", t).strip() == comm]

    def locks(self, path):
        """Returns {"owners": [pids], "waiters": [pids]} for the locks of a file. For a lock of flock(2), the kernel
        shows only the process that took the lock, although children of this process may share the lock."""
        inode, found = os.stat(path).st_ino, {"owners": [], "waiters": []}
        with open("/proc/locks", encoding="ascii") as f:
            for line in f:
                v = line.split()[1:]
                waits = v[0] == "->"
                v = v[1:] if waits else v
                if int(v[4].rpartition(":")[2]) == inode:
                    found["waiters" if waits else "owners"].append(int(v[3]))
        return found

    def connects(self, port):
        with socket.create_connection(("127.0.0.1", int(port)), 1):
            return True

    # ---- for the runner ----

    def look(self):
        """Remembers the processes of the scene."""
        self.pids |= {pid for name, (pid, _) in self.roles.items() if name != "test"} | set(self.living())

    def living(self):
        return descendants(os.getpid(), self.without)

    def close(self):
        for p, stop in reversed(list(self.processes.values())):
            for sig in (signal.SIGCONT, stop):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(p.pid, sig)
            if p.stdin:
                with contextlib.suppress(OSError):
                    p.stdin.close()
        end = time.monotonic() + 4
        while time.monotonic() < end and any(p.poll() is None for p, _ in self.processes.values()):
            time.sleep(0.05)
        for _ in range(100):
            left = self.living()
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for p, _ in self.processes.values():
                p.poll()
            own = {p.pid for p, _ in self.processes.values()}
            for pid in set(children(os.getpid())) - own - set(self.without):
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)
            if not left:
                break
            time.sleep(0.05)
        super().close()


class Postgres:
    """A private PostgreSQL server, with the role "postgres", that listens on a Unix socket only."""
    USER = "postgres"

    def __init__(self, s, *settings):
        self.s, self.where = s, s.path("pg")
        os.mkdir(self.where)
        try:
            shutil.chown(self.where, self.USER, self.USER)
        except LookupError:
            raise Missing("no user postgres here (package postgresql)") from None
        data = os.path.join(self.where, "data")
        s.out(["initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"], user=self.USER)
        flags = [x for setting in ("fsync=off", *settings) for x in ("-c", setting)]
        s.start("postgres", ["postgres", "-D", data, "-h", "", "-k", self.where, *flags], user=self.USER, stop=signal.SIGINT)
        s.wait("postgres is ready", lambda: self.query("select 1") == "1", 20)

    def client(self, *args):
        return ["psql", "-X", "-q", "-A", "-t", "-h", self.where, "-U", "postgres", "-d", "postgres", *args]

    def query(self, sql):
        try:
            return self.s.out(self.client("-c", sql))
        except Invalid as e:
            raise ValueError(e) from None

    def backend(self, role, application):
        """Gives a role (a name for a task, see above) to the server process that serves the client with
        PGAPPNAME=application."""
        sql = "select pid from pg_stat_activity where application_name = '%s'" % application
        self.s.wait("%s is connected" % application, lambda: self.query(sql))
        return self.s.role(role, int(self.query(sql).split()[0]))
