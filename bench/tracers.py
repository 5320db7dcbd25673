# SPDX-License-Identifier: GPL-2.0-or-later
"""The tracers that the benchmarks compare: each starts, runs beside a workload, and stops."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

TRACEFS = "/sys/kernel/tracing"
EVENTS = ["sched:sched_switch", "sched:sched_waking"]


class Missing(Exception):
    """The tool is not installed, or does not work here. The text says why."""


def say(text):
    print("bench: " + text, file=sys.stderr, flush=True)


def stat_fields(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as f:
        return f.read().rpartition(")")[2].split()


def thread_seconds(pid):
    """The CPU seconds of the live threads of a process."""
    total = 0
    for tid in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, tid), encoding="utf-8") as f:
            total += int(f.read().split()[0])
    return total / 1e9


def descendants(pid):
    """The process and all its live descendants."""
    parents = {}
    for name in os.listdir("/proc"):
        try:
            parents[int(name)] = int(stat_fields(int(name))[1])
        except (ValueError, FileNotFoundError, ProcessLookupError):
            continue
    for p in parents:
        at = p
        while at not in (0, 1, pid):
            at = parents.get(at, 0)
        if at == pid:
            yield p


def cpu_seconds(pid):
    """CPU seconds of a process and its live descendants."""
    total = 0.0
    for p in descendants(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            total += thread_seconds(p)
    return total


def threads(pid):
    tids = set()
    for p in descendants(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            tids |= set(map(int, os.listdir("/proc/%d/task" % p)))
    return tids


class Tracer:
    """No tracing."""
    name = "none"

    def __init__(self, where):
        self.where = where
        self.process = None

    def check(self):
        pass

    def start(self):
        pass

    def counters(self):
        return {}

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid) if self.process else 0.0

    def stop(self):
        """Stops the tracer; returns {"bytes": N, "lost": N}, as far as they are known."""
        return {}

    def abandon(self):
        """Cleans up after a failure: no process stays behind."""
        if self.process:
            self.process.kill()
            self.process.wait()

    def spawn(self, cmd, log):
        with open(os.path.join(self.where, log), "w", encoding="utf-8") as f:
            self.process = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=f, stderr=f)

    def end(self, sig):
        self.process.send_signal(sig)
        self.process.wait(60)
        self.process = None


class Ctrace(Tracer):
    name = "ctrace"

    def __init__(self, where, ctrace, ctraced, size="512M", extra=()):
        super().__init__(where)
        self.ctrace, self.ctraced, self.size, self.extra = ctrace, ctraced, size, list(extra)
        self.state = os.path.join(where, "state")
        self.socket = os.path.join(where, "sock")

    def check(self):
        for path in self.ctrace, self.ctraced:
            if not os.access(path, os.X_OK):
                raise Missing("%s is not there: build first" % path)
        with tracing(self):
            pass

    def ask(self, *args):
        r = subprocess.run([self.ctrace, *args], capture_output=True, text=True, check=False)
        if r.returncode:
            raise Missing("ctrace %s: %s" % (args[0], r.stderr.strip()[-300:]))
        return r.stdout

    def status(self):
        return json.loads(self.ask("status", "--socket", self.socket, "--json"))

    def start(self):
        shutil.rmtree(self.state, ignore_errors=True)
        self.spawn([self.ctraced, "--state-dir", self.state, "--socket", self.socket, "--size", self.size,
                    "--die-with-parent", *self.extra], "ctraced.log")
        for _ in range(150):
            if self.process.poll() is not None:
                break
            try:
                self.status()
                time.sleep(4)  # at first the daemon records the states of all tasks, inspects long waits, and reads symbols
                return
            except Missing:
                time.sleep(0.1)
        with open(os.path.join(self.where, "ctraced.log"), encoding="utf-8", errors="replace") as f:
            raise Missing("ctraced does not start: " + f.read().strip()[-300:])

    def counters(self):
        # the daemon writes its new records to the file once a second
        time.sleep(1.2)
        s = self.status()
        lost = sum(v for v in s["losses"].values() if isinstance(v, int))
        return {"at": time.monotonic(), "records": s["file"]["records"], "bytes": s["file"]["written_bytes"], "lost": lost,
                "rss": s["cost"]["rss_bytes"]}

    def trace(self):
        return os.path.join(self.state, "ctrace.ctr")

    def stop(self):
        self.end(signal.SIGTERM)
        return {}


class Perf(Tracer):
    name = "perf record"

    def check(self):
        if not shutil.which("perf"):
            raise Missing("perf is not installed")
        with tracing(self):
            pass

    def start(self):
        self.data = os.path.join(self.where, "perf.data")
        self.spawn(["perf", "record", "-q", "-a", "-e", ",".join(EVENTS), "-o", self.data],
                   "perf.log")
        time.sleep(1)
        if self.process.poll() is not None:
            with open(os.path.join(self.where, "perf.log"), encoding="utf-8", errors="replace") as f:
                raise Missing("perf does not record here: " + f.read().strip()[-200:])

    def stop(self):
        self.end(signal.SIGINT)
        size = os.path.getsize(self.data)
        return {"bytes": size}

    def events(self):
        r = subprocess.run(["perf", "script", "-i", self.data, "-F", "tid"], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False)
        return r.stdout.count(b"\n")


class TraceCmd(Tracer):
    name = "trace-cmd"

    def check(self):
        if not shutil.which("trace-cmd"):
            raise Missing("trace-cmd is not installed")
        with tracing(self):
            pass

    def start(self):
        self.data = os.path.join(self.where, "trace.dat")
        self.spawn(["trace-cmd", "record", "-q", "-e", EVENTS[0], "-e", EVENTS[1], "-o", self.data], "trace-cmd.log")
        time.sleep(1)
        if self.process.poll() is not None:
            with open(os.path.join(self.where, "trace-cmd.log"), encoding="utf-8", errors="replace") as f:
                raise Missing("trace-cmd does not record here: " + f.read().strip()[-200:])

    def stop(self):
        self.end(signal.SIGINT)
        return {"bytes": os.path.getsize(self.data)}

    def events(self):
        r = subprocess.run(["trace-cmd", "report", "-q", "-i", self.data], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False)
        return max(r.stdout.count(b"\n") - 1, 0)


class Tracefs(Tracer):
    """Uses ftrace as trace-cmd does. trace-cmd itself first sets up function tracing, which fails
    on some machines."""
    name = "ftrace, as trace-cmd"
    pids = ()

    def check(self):
        if not hasattr(os, "splice"):
            raise Missing("Python is too old for splice()")
        with tracing(self):
            pass

    def path(self, *names):
        return os.path.join(TRACEFS, "instances", "ctrace-bench", *names)

    def put(self, value, *names):
        with open(self.path(*names), "w", encoding="utf-8") as f:
            f.write(value)

    def start(self):
        self.pids = []
        try:
            os.mkdir(self.path())
            self.put("50", "buffer_percent")
            for cpu in range(os.cpu_count()):
                pid = os.fork()
                if pid == 0:
                    self.record(cpu)
                self.pids.append(pid)
            for event in EVENTS:
                self.put("1", "events", *event.split(":"), "enable")
        except OSError as e:
            self.stop()
            raise Missing("ftrace cannot be used here: %s" % e) from None

    @staticmethod
    def interrupted(*_):
        raise InterruptedError

    def record(self, cpu):
        """Moves the pages of one CPU into a file; never returns."""
        status = 1
        try:
            signal.signal(signal.SIGTERM, self.interrupted)
            raw = os.open(self.path("per_cpu", "cpu%d" % cpu, "trace_pipe_raw"), os.O_RDONLY)
            out = os.open(os.path.join(self.where, "ftrace.%d" % cpu), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            r, w = os.pipe()
            while True:
                n = os.splice(raw, w, 65536, flags=os.SPLICE_F_MOVE)
                while n > 0:
                    n -= os.splice(r, out, n, flags=os.SPLICE_F_MOVE)
        except InterruptedError:
            # The buffer may still have records, because splice() passes on only full pages, and only
            # when the buffer is half full. os.read() gets these records.
            os.set_blocking(raw, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(out, os.read(raw, 65536))
            status = 0
        finally:
            os._exit(status)

    def cpu_seconds(self):
        return sum(cpu_seconds(p) for p in self.pids)

    def stop(self):
        self.count = 0
        if os.path.exists(self.path()):
            self.put("0", "events", "enable")
            for cpu in range(os.cpu_count()):
                with open(self.path("per_cpu", "cpu%d" % cpu, "stats"), encoding="utf-8") as f:
                    kv = dict(line.split(": ", 1) for line in f.read().splitlines())
                self.count += int(kv["entries"]) + int(kv["read events"])
        for pid in self.pids:
            os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
        if os.path.exists(self.path()):
            os.rmdir(self.path())
        files = [os.path.join(self.where, "ftrace.%d" % cpu) for cpu in range(os.cpu_count())]
        return {"bytes": sum(os.path.getsize(f) for f in files if os.path.exists(f))}

    def abandon(self):
        if os.path.exists(self.path()):
            self.stop()

    def events(self):
        return self.count


def available(tracers):
    """The tracers that work on this machine. Raises Missing if ctrace does not work."""
    out = []
    for t in tracers:
        if isinstance(t, Tracefs) and isinstance(out[-1], TraceCmd):
            break
        try:
            t.check()
            out.append(t)
        except Missing as e:
            if isinstance(t, Ctrace):
                raise
            say("%s: left out" % e)
    return out


@contextlib.contextmanager
def tracing(t):
    """Traces while the block lasts, and stops the tracer also if the block fails."""
    try:
        t.start()
        yield t
    except BaseException:
        t.abandon()
        raise
    t.left = t.stop()


def interleaved(pairs, tracers, name, once):
    """Calls once(tracer) under each tracer in turn. Returns {name of the tracer: [what once() returned]}."""
    got = {t.name: [] for t in tracers}
    for i in range(pairs):
        for t in tracers[i % len(tracers):] + tracers[:i % len(tracers)]:
            with tracing(t):
                got[t.name].append(once(t))
        say("%s: round %d of %d" % (name, i + 1, pairs))
    return got
