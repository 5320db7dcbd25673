# SPDX-License-Identifier: GPL-2.0-or-later
"""The loads that the benchmarks run, with the servers that some of them need."""
import contextlib
import glob
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import threading
import time

from tracers import Missing, say

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
POSTGRES = "/usr/lib/postgresql/*/bin/pgbench"
CALIBRATED = 0.25  # after a run of this share of the wanted time, fit() knows how much work fits into the wanted time


def end_group(p):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(p.pid, signal.SIGKILL)


class Over(Missing):
    """The command took longer than it may."""


def call(name, cmd, cwd=None, silent=False, limit_s=None):
    """Runs a command; returns (wall seconds, its rusage from wait4, its output).

    silent: the output goes to /dev/null, only errors are kept. limit_s: when to kill the command.
    """
    begin = time.monotonic()
    out, err = (subprocess.DEVNULL, subprocess.PIPE) if silent else (subprocess.PIPE, subprocess.STDOUT)
    p = subprocess.Popen(cmd, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err, process_group=0)
    timer = threading.Timer(limit_s or 0, end_group, [p])
    if limit_s:
        timer.start()
    try:
        with p.stderr if silent else p.stdout as f:
            out = f.read().decode(errors="replace")
        _, status, ru = os.wait4(p.pid, 0)
    except BaseException:
        end_group(p)
        p.wait()
        raise
    finally:
        timer.cancel()
    p.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    if limit_s and wall > limit_s:
        raise Over("%s took over %d s" % (name, limit_s))
    if p.returncode:
        raise Missing("%s failed: %s" % (name, out.strip()[-200:]))
    return wall, ru, out


class Workload:
    """A fixed amount of work."""

    def __init__(self, name, cmd, cwd=None):
        self.name, self.cmd, self.cwd = name, cmd, cwd

    def run(self):
        """Returns (wall seconds, CPU seconds)."""
        wall, ru, _ = call(self.name, self.cmd, self.cwd)
        return wall, ru.ru_utime + ru.ru_stime


def pingpong(opt):
    return os.path.join(opt.build, "bench", "pingpong")


def sources():
    return sorted(glob.glob(os.path.join(ROOT, "lib", "*.c")) + glob.glob(os.path.join(ROOT, "graph", "*", "*.c")))


def compile_command(files):
    return ["sh", "-c", "printf '%%s\\n' %s | xargs -P %d -n 1 gcc -std=gnu11 -D_GNU_SOURCE -O2 -I%s -I%s/include "
            "-c -o /dev/null" % (" ".join(files), os.cpu_count(), ROOT, ROOT)]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """A server with a port and a directory of its own. If the benchmark dies, the kernel sends the server the
    signal `stop_with`."""
    name, stop_with = "", "TERM"
    user = ()  # arguments of setpriv that change the user of the server; empty: the user of the benchmark

    def __init__(self, where):
        self.dir = os.path.join(where, self.name)
        self.process, self.port = None, 0

    def prepare(self):
        pass

    def command(self):
        raise NotImplementedError

    def ready(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def __enter__(self):
        os.makedirs(self.dir, exist_ok=True)
        self.port = free_port()
        self.prepare()
        log = os.path.join(self.dir, "log")
        with open(log, "w", encoding="utf-8") as f:
            self.process = subprocess.Popen(["setpriv", *self.user, "--pdeathsig", self.stop_with, *self.command()],
                                            cwd=self.dir, stdin=subprocess.DEVNULL, stdout=f, stderr=f,
                                            start_new_session=True)
        try:
            for _ in range(100):
                if self.process.poll() is None and self.ready():
                    return self
                time.sleep(0.1)
            with open(log, encoding="utf-8", errors="replace") as f:
                raise Missing("%s does not start: %s" % (self.name, f.read().strip()[-300:]))
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(getattr(signal, "SIG" + self.stop_with))
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(30)
        end_group(self.process)
        self.process.wait()


class Nginx(Server):
    name = "nginx"

    def prepare(self):
        paths = "".join("%s_temp_path %s/%s; " % (what, self.dir, what)
                        for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(os.path.join(self.dir, "nginx.conf"), "w", encoding="utf-8") as f:
            f.write("worker_processes 2; daemon off; pid %s/pid; error_log %s/log;\n"
                    "events { worker_connections 1024; }\n"
                    "http { access_log off; %s\n"
                    "server { listen 127.0.0.1:%d; location / { return 200 \"hello\\n\"; } } }\n"
                    % (self.dir, self.dir, paths, self.port))

    def command(self):
        return ["nginx", "-p", self.dir, "-e", self.dir + "/log", "-c", self.dir + "/nginx.conf"]

    def requests(self, seconds):
        url = "http://127.0.0.1:%d/" % self.port
        if shutil.which("wrk"):
            return ["wrk", "-t2", "-c16", "-d%ds" % seconds, url]
        return ["ab", "-q", "-k", "-c16", "-t%d" % seconds, "-n100000000", url]


class Redis(Server):
    name = "redis"

    def command(self):
        return ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--dir", self.dir]

    def requests(self, *args):
        return ["redis-benchmark", "-p", str(self.port), "-c", "16", "-t", "get", "-q", *args]


class Postgres(Server):
    name, stop_with = "postgres", "INT"
    user = ("--reuid", "postgres", "--regid", "postgres", "--clear-groups")

    def __init__(self, where, scale):
        super().__init__(where)
        self.scale, self.filled = scale, False

    def program(self, name):
        return os.path.join(os.path.dirname(sorted(glob.glob(POSTGRES))[-1]), name)

    def prepare(self):
        if not self.filled:
            shutil.chown(self.dir, "postgres", "postgres")
            call("initdb", ["setpriv", *self.user, self.program("initdb"), "-D", os.path.join(self.dir, "data"),
                            "-A", "trust", "-U", "postgres", "--no-sync"], cwd=self.dir)

    def command(self):
        return [self.program("postgres"), "-D", os.path.join(self.dir, "data"), "-p", str(self.port), "-h", "127.0.0.1",
                "-k", self.dir]

    def ready(self):
        return subprocess.run([self.program("pg_isready"), "-q", "-h", self.dir, "-p", str(self.port)],
                              check=False).returncode == 0

    def __enter__(self):
        super().__enter__()
        if not self.filled:
            try:
                call("pgbench -i", self.pgbench("-i", "-q", "-s", str(self.scale)))
            except BaseException:
                self.__exit__()
                raise
            self.filled = True
        return self

    def pgbench(self, *args):
        return [self.program("pgbench"), "-h", self.dir, "-p", str(self.port), "-U", "postgres", *args, "postgres"]


class Load:
    """A kind of work, and how to measure its figure: the work per second.

    command(n) returns a command line. Without `found`, n is the amount of work, and the figure is n / wall time. With
    `found`, the command works for n seconds, and the regular expression `found` matches the figure in its output.
    """

    def __init__(self, name, unit, programs, command, found=None, server=None):
        self.name, self.unit, self.programs, self.command = name, unit, programs, command
        self.found = found and re.compile(found)
        self.server = server or contextlib.nullcontext()
        self.amount = 0

    def missing(self):
        return [p for p in self.programs if not any(shutil.which(x) or glob.glob(x) for x in p.split(" or "))]

    def run(self):
        """Does the work; returns (wall seconds, figure)."""
        wall, _, out = call(self.name, self.command(self.amount))
        if not self.found:
            return wall, self.amount / wall
        m = self.found.findall(out)
        if not m:
            raise Missing("%s says no figure: %s" % (self.name, out.strip()[-200:]))
        return wall, float(m[-1])

    def fit(self, seconds):
        """Chooses an amount of work that takes `seconds`. For this, does some work, which also fills the caches."""
        self.amount = seconds if self.found else 16
        wall, _ = self.run()
        while not self.found and wall < CALIBRATED * seconds:
            self.amount *= 4
            wall, _ = self.run()
        if not self.found:
            self.amount = max(int(self.amount * seconds / wall), 1)


def fsync_loop(scratch, n):
    return ["sh", "-c", "i=0; while [ $i -lt %d ]; do dd if=/dev/zero of=%s bs=16k count=4 conv=fsync 2>/dev/null || "
            "exit 1; i=$((i+1)); done" % (n, scratch)]


def compile_of(n):
    files = sources()
    return compile_command([files[i % len(files)] for i in range(n)])


def loads(opt, where):
    web, store, base = Nginx(where), Redis(where), Postgres(where, 2 if opt.quick else 20)
    yield Load("nginx + " + ("wrk" if shutil.which("wrk") else "ab"), "requests/s", ["nginx", "wrk or ab"],
               web.requests, r"Requests(?:/sec| per second):\s+([\d.]+)", web)
    redis = ["redis-server", "redis-benchmark"]
    yield Load("redis", "requests/s", redis, lambda n: store.requests("-n", str(n)), server=store)
    yield Load("redis -P16", "requests/s", redis, lambda n: store.requests("-P", "16", "-n", str(n)), server=store)
    for name, args in ("pgbench -S", ["-S"]), ("pgbench TPC-B", []):
        yield Load(name, "transactions/s", [POSTGRES], lambda n, args=args: base.pgbench(
            *args, "-n", "-c", "8", "-j", "2", "-T", str(n)), r"tps = ([\d.]+)", base)
    for name, args in ("hackbench sockets", []), ("hackbench pipes", ["-p"]):
        yield Load(name, "loops/s", ["hackbench"], lambda n, args=args: ["hackbench", "-g", "4", "-l", str(n), *args])
    yield Load("stress-ng --switch", "switches/s", ["stress-ng"],
               lambda n: ["stress-ng", "--switch", "2", "-t", "%ds" % n, "--metrics-brief"],
               r"switch +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)")
    yield Load("pipe ping-pong", "rounds/s", [pingpong(opt)], lambda n: [pingpong(opt), str(n)])
    yield Load("compile", "files/s", ["gcc"], compile_of)
    yield Load("fsync", "files/s", ["dd"], lambda n: fsync_loop(os.path.join(where, "scratch"), n))


class Mixed:
    """Web requests and a store at the same time, in bursts, until it is stopped. Without servers_only, also messages
    and a contended file lock, and a connection for each web request."""

    def __init__(self, where, servers_only):
        self.web, self.store, self.lock = Nginx(where), Redis(where), os.path.join(where, "lock")
        self.servers_only = servers_only
        self.stack = contextlib.ExitStack()

    def again_and_again(self, pause_s, cmd):
        loop = "while :; do %s; sleep %s; done" % (shlex.join(cmd), pause_s)
        p = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "sh", "-c", loop], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.stack.callback(p.wait)
        self.stack.callback(end_group, p)

    def parts(self):
        """[(programs, server or None, seconds between two bursts, function that returns the command of a burst)]"""
        keep = ["-k"] if self.servers_only else []
        servers = [(["nginx", "ab"], self.web, 0.1, lambda: ["ab", "-q", "-c16", "-n1000", *keep,
                                                             "http://127.0.0.1:%d/" % self.web.port]),
                   (["redis-server", "redis-benchmark"], self.store, 0.1, lambda: self.store.requests("-n", "2000"))]
        others = [(["hackbench"], None, 0.2, lambda: ["hackbench", "-g", "1", "-l", "20"])]
        others += 2 * [(["flock"], None, 0.01, lambda: ["flock", self.lock, "sleep", "2"])]
        return servers if self.servers_only else servers + others

    def begin(self):
        for programs, server, pause_s, requests in self.parts():
            gone = [p for p in programs if not shutil.which(p)]
            if gone:
                say("%s is not installed: left out" % gone[0])
                continue
            if server:
                self.stack.enter_context(server)
            self.again_and_again(pause_s, requests())

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *_):
        self.stack.close()
