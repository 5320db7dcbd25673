# SPDX-License-Identifier: GPL-2.0-or-later
"""A daemon with a budget, for the tests with storms."""
import glob
import json
import os
import subprocess

from lib import Failed, end_session, run

# ns: The kernel's time of each run of a BPF program includes about this much for the measurement
# itself. For an empty program, the kernel reports 48 to 75 ns.
COUNTING_NS = 45
START_S = 11  # s: after this time, the start of the daemon is over; during its start, the budget is larger


class Daemon:
    def __init__(self, opt, where, *flags):
        self.opt, self.where = opt, where
        self.socket = os.path.join(where, "sock")
        self.trace = os.path.join(where, "state", "ctrace.ctr")
        ready, w = os.pipe()
        self.log = open(os.path.join(where, "log"), "w", encoding="utf-8")
        self.p = subprocess.Popen(
            [opt.ctraced, "--config", "/dev/null", "--state-dir", os.path.join(where, "state"), "--socket", self.socket,
             "--size", "256M", "--hangs", "no", "--ready-fd", str(w), *flags],
            pass_fds=[w], stderr=self.log, start_new_session=True)
        os.close(w)
        said = os.read(ready, 1000)
        os.close(ready)
        if said != b"\n":
            raise Failed("the daemon did not start: %s" % said)

    def status(self):
        r = run([self.opt.ctrace, "status", "--json", "--socket", self.socket])
        if r.returncode:
            raise Failed("status: %s" % r.stderr.strip())
        return json.loads(r.stdout)

    def governor(self):
        return self.status()["governor"]

    def spent_ns(self):
        """Returns (CPU time of the daemon and its children, run time of its BPF programs), both in ns. The kernel
        measures the run time only while bpf_stats_enabled is set."""
        ns, programs, pids = 0, {}, [self.p.pid]
        for pid in pids:
            with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
                v = f.read().rpartition(")")[2].split()
            ns += sum(map(int, v[11:15])) * 10**9 // os.sysconf("SC_CLK_TCK")
            with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
                pids += map(int, f.read().split())
        for fd in glob.glob("/proc/%d/fdinfo/*" % self.p.pid):
            try:
                with open(fd, encoding="ascii") as f:
                    kv = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
            except OSError:
                continue  # the daemon has closed this descriptor
            if "run_time_ns" in kv:
                programs[kv["prog_id"]] = int(kv["run_time_ns"]) - COUNTING_NS * int(kv["run_cnt"])
        return ns, sum(programs.values())

    def said(self):
        with open(self.log.name, encoding="utf-8", errors="replace") as f:
            return f.read()

    def close(self):
        end_session(self.p)
        self.log.close()
