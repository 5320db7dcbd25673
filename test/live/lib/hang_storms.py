# SPDX-License-Identifier: GPL-2.0-or-later
"""Storms of ordinary programs. Each storm goes on until the test stops it."""
import contextlib
import os
import shutil
import subprocess
import sys

from lib import Failed, Skipped, run_for

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench"))
from loads import POSTGRES, Load, Nginx, Postgres, Redis  # noqa: E402  pylint: disable=wrong-import-position
from tracers import Missing  # noqa: E402  pylint: disable=wrong-import-position

FOREVER = 3600


class Storm(Load):
    def __init__(self, name, programs, command, server=None):
        super().__init__(name, None, programs, command, server=server)
        self.process = None

    @contextlib.contextmanager
    def blowing(self):
        if self.missing():
            raise Skipped("no %s here" % ", ".join(self.missing()))
        try:
            with self.server, run_for(["setpriv", "--pdeathsig", "KILL", *self.command(FOREVER)], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as self.process:
                yield self
        except Missing as e:
            raise Skipped(str(e)) from None

    def check(self):
        if self.process.poll() is not None:
            raise Failed("the storm %s ended with %d" % (self.name, self.process.returncode))


def messages():
    if shutil.which("hackbench"):
        return ["hackbench", "-g", "4", "-l", "100000000"]
    return ["perf", "bench", "sched", "messaging", "-g", "4", "-l", "100000000"]


def storms(where):
    web, store, base = Nginx(where), Redis(where), Postgres(where, 2)
    return {s.name: s for s in (
        Storm("nginx", ["nginx", "wrk or ab"], web.requests, web),
        Storm("redis", ["redis-server", "redis-benchmark"], lambda _: store.requests("-n", "1000000", "-l"), store),
        Storm("pgbench", [POSTGRES], lambda s: base.pgbench("-S", "-n", "-c", "8", "-j", "2", "-T", str(s)), base),
        Storm("hackbench", ["hackbench or perf"], lambda _: messages()),
        Storm("stress-ng", ["stress-ng"], lambda s: ["stress-ng", "--switch", "2", "-t", "%ds" % s]))}
