# SPDX-License-Identifier: GPL-2.0-or-later
"""The loads that the benchmarks run."""
import contextlib
import glob
import os
import signal
import subprocess
import time

from tracers import Missing

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def end_group(p):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(p.pid, signal.SIGKILL)


def call(name, cmd, cwd=None):
    """Runs a command; returns (wall seconds, what wait4 says of it, its output). No process of it stays behind."""
    begin = time.monotonic()
    p = subprocess.Popen(cmd, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         start_new_session=True)
    try:
        out = p.stdout.read().decode(errors="replace")
        _, status, ru = os.wait4(p.pid, 0)
    except BaseException:
        end_group(p)
        p.wait()
        raise
    p.stdout.close()
    p.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    if p.returncode:
        raise Missing("%s failed: %s" % (name, out.strip()[-200:]))
    return wall, ru, out


class Workload:
    """A fixed amount of work."""

    def __init__(self, name, cmd, cwd=None):
        self.name, self.cmd, self.cwd = name, cmd, cwd

    def run(self):
        """Runs it; returns (wall seconds, CPU seconds)."""
        wall, ru, _ = call(self.name, self.cmd, self.cwd)
        return wall, ru.ru_utime + ru.ru_stime


def pingpong(opt):
    return os.path.join(opt.build, "bench", "pingpong")


def sources():
    return sorted(glob.glob(os.path.join(ROOT, "lib", "*.c")) + glob.glob(os.path.join(ROOT, "graph", "*", "*.c")))


def compile_command(files):
    return ["sh", "-c", "printf '%%s\\n' %s | xargs -P %d -n 1 gcc -std=gnu11 -D_GNU_SOURCE -O2 -I%s -I%s/include "
            "-c -o /dev/null" % (" ".join(files), os.cpu_count(), ROOT, ROOT)]
