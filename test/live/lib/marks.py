# SPDX-License-Identifier: GPL-2.0-or-later
"""Daemons that are stopped and killed, and marks that their traces must have. A mark is a numbered signal that
`marker` sends to itself every 10 ms."""
import json
import os
import socket
import subprocess
import time

from lib import UNTHRIFTY, Failed, run

UNSEALED_NS = 1_000_000_000  # ns: the trace may lack this last part of the life of a killed daemon


def boot_ns():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Marks:
    def __init__(self, opt, where):
        self.notes = os.path.join(where, "marks")
        with open(self.notes, "w", encoding="utf-8") as f:
            self.process = subprocess.Popen([os.path.join(opt.tools, "marker")], stdout=f)
        time.sleep(0.1)
        self.tid = self.process.pid

    def between(self, begin, end):
        """The marks from begin to end, as `marker` noted them: {code: time}."""
        with open(self.notes, encoding="utf-8") as f:
            lines = [line.split() for line in f.read().split("\n")[1:-1]]
        return {-256 - int(n) % 32000: int(t) for n, t in lines if begin <= int(t) < end}

    def close(self):
        self.process.kill()
        self.process.wait()


class Daemon:
    """A daemon with a directory of its own. After kill() or end(), start() starts a new daemon, which continues the
    trace in this directory."""

    def __init__(self, opt, where, size="256M", state=None):
        os.makedirs(where, exist_ok=True)
        self.opt, self.size, self.process = opt, size, None
        self.state = state or os.path.join(where, "state")
        self.trace = os.path.join(self.state, "ctrace.ctr")
        self.socket, self.log = os.path.join(where, "sock"), os.path.join(where, "log")

    def spawn(self, *more, env=None):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.opt.ctraced, "--state-dir", self.state, "--socket", self.socket, "--size", self.size, *UNTHRIFTY,
                 *more],
                stderr=log, env=dict(os.environ, **(env or {})))

    def start(self, *more, env=None):
        """Starts the daemon, and waits until it answers."""
        self.spawn(*more, env=env)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.ask("ping")
                return
            except OSError:
                time.sleep(0.02)
        self.kill()
        raise Failed("the daemon does not answer: %s" % self.said()[-500:])

    def ask(self, cmd):
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(10)
            s.connect(self.socket)
            s.sendall(json.dumps({"cmd": cmd}).encode() + b"\n")
            answer = b""
            while not answer.endswith(b"\n"):
                got = s.recv(65536)
                if not got:
                    raise ConnectionError("no answer")
                answer += got
        return json.loads(answer)

    def storage(self):
        return self.ask("status")["storage"]

    def said(self):
        with open(self.log, encoding="utf-8") as f:
            return f.read()

    def kill(self):
        self.process.kill()
        dead = boot_ns()
        self.process.wait()
        return dead

    def end(self):
        """Ends the daemon. Returns the time of the SIGTERM: the trace must have all records up to this time."""
        asked = boot_ns()
        self.process.terminate()
        if self.process.wait(40):
            raise Failed("the daemon ended with %d: %s" % (self.process.returncode, self.said()[-500:]))
        return asked

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()

    def info(self, *more, trace=None):
        r = run([self.opt.ctrace, "info", trace or self.trace, "--json", *more], timeout=60)
        if r.returncode:
            raise Failed("info: exit %d: %s" % (r.returncode, r.stderr.strip()))
        return json.loads(r.stdout)

    def marks(self, marks, begin, end, trace=None):
        """The codes of the marks in the trace, from begin to end."""
        r = run([self.opt.ctrace, "dump", trace or self.trace, "--tid", str(marks.tid), "--kind", "signal", "--json",
                 "--from", "boot:%d" % begin, "--to", "boot:%d" % end], timeout=60)
        if r.returncode:
            raise Failed("dump: exit %d: %s" % (r.returncode, r.stderr.strip()))
        return {json.loads(line)["code"] for line in r.stdout.splitlines()}

    def check_marks(self, marks, begin, end, what, trace=None, told=()):
        """Checks that the trace has all marks from begin to end, except in gaps with the causes `told`. Returns the
        number of marks."""
        want, have = marks.between(begin, end), self.marks(marks, begin, end + UNSEALED_NS, trace)
        missing = sorted(t for code, t in want.items() if code not in have)
        if missing and told:
            gaps = [g for g in self.info(trace=trace)["losses"]["gaps"] if g["cause"] in told]
            missing = [t for t in missing if not any(g["from_ns"] <= t <= g["to_ns"] for g in gaps)]
        if missing:
            raise Failed("%s: %d of %d marks are missing, from %.3f to %.3f s of %.3f s" %
                         (what, len(missing), len(want), (missing[0] - begin) / 1e9, (missing[-1] - begin) / 1e9,
                          (end - begin) / 1e9))
        return len(want)
