# SPDX-License-Identifier: GPL-2.0-or-later
"""Functions for all live tests: commands with a time limit, the programs that hang, the kernel log."""
import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

PASS, FAIL, SKIP = 0, 1, 77
# For tests that are not about the budget: other load must not make the daemon leave records out.
UNTHRIFTY = ["--budget", "0", "--task-cap", "0"]
BAD_LOG = re.compile(r"WARNING:|BUG:|Oops|general protection|KASAN|UBSAN|possible circular|rcu: INFO|Call Trace")
# An error of Linux 6.18: uprobes read pages of mapped files without a lock that ext4 requires.
KNOWN_LOG = re.compile(r"ext4_check_map_extents_env")


class Failed(Exception):
    pass


class Skipped(Exception):
    pass


def need_root():
    if os.geteuid() != 0:
        print("skip: needs root")
        sys.exit(SKIP)


def run(cmd, timeout=60, stdout=subprocess.PIPE, **kw):
    """Runs the command in a session of its own. After `timeout` seconds, ends the session and raises Failed."""
    p = subprocess.Popen(cmd, stdout=stdout, stderr=subprocess.PIPE, text=True, start_new_session=True, **kw)
    try:
        out, err = p.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end_session(p)
        raise Failed("still running after %d s: %s" % (timeout, " ".join(map(str, cmd)))) from None
    return subprocess.CompletedProcess(cmd, p.returncode, out, err)


@contextlib.contextmanager
def run_for(cmd, **kw):
    """Starts the command in a session of its own. If it still runs when the block ends, ends the whole session."""
    p = subprocess.Popen(cmd, start_new_session=True, **kw)
    try:
        yield p
    finally:
        if p.poll() is None:
            end_session(p)


def end_session(p):
    """Sends SIGTERM to the session, so that a recorder can write its trace. When p has ended, or after 5 s,
    sends SIGKILL."""
    for sig in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(p.pid, sig)
        except ProcessLookupError:
            return
        try:
            p.wait(5)
        except subprocess.TimeoutExpired:
            continue


def busy_s():
    """(CPU seconds of the whole machine, CPU seconds of the ended children of this process)"""
    with open("/proc/stat", encoding="ascii") as f:
        user, nice, system, _, _, irq, softirq = map(int, f.readline().split()[1:8])
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK"), r.ru_utime + r.ru_stime


def in_quiet(f, tries=3):
    """Calls f(). If f() fails while other programs use much CPU time, calls f() again, because these programs may be
    the reason. Calls f() at most `tries` times in all, or at most LIVE_TRIES times if this environment variable is
    smaller."""
    tries = min(tries, int(os.environ.get("LIVE_TRIES", tries)))
    for i in range(tries):
        (all0, own0), began = busy_s(), time.monotonic()
        try:
            return f()
        except Failed as e:
            all1, own1 = busy_s()
            others = ((all1 - all0) - (own1 - own0)) / (time.monotonic() - began)
            if others < 0.2:
                raise
            if i + 1 == tries:
                raise Failed("%s (in %d tries; other programs took %.1f CPUs)" % (e, tries, others)) from None


def kernel_log():
    """The lines of the kernel log; None: this process may not read it."""
    r = subprocess.run(["dmesg"], capture_output=True, text=True, errors="replace", check=False)
    return r.stdout.splitlines() if r.returncode == 0 else None


def check_kernel_log(before):
    """Raises Failed if the kernel log has a new complaint. before: the lines of an earlier kernel_log()."""
    after = kernel_log()
    if before is None or after is None:
        return
    known = set(before)
    reports = [[]]
    for line in after:
        if line not in known:
            if "cut here" in line:
                reports.append([])
            reports[-1].append(line)
            if "end trace" in line:
                reports.append([])
    bad = [line for r in reports if not any(map(KNOWN_LOG.search, r)) for line in r if BAD_LOG.search(line)]
    if bad:
        raise Failed("kernel log: " + " / ".join(bad[:3]))


def until(text, f, seconds=20):
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(OSError):
            if f():
                return
        if time.monotonic() > end:
            raise Failed("not within %d s: %s" % (seconds, text))
        time.sleep(0.02)


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
        return [int(x) for x in f.read().split()]


def comm(pid):
    with open("/proc/%d/comm" % pid, encoding="utf-8") as f:
        return f.read().strip()


def ask(opt, *args):
    r = run([opt.ctrace, *args])
    if r.returncode:
        raise Failed("ctrace %s: %s" % (args[0], r.stderr.strip()))
    return r.stdout


def key_values(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


WORK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "work")


def program(work, name):
    """The path of a program: built in `work`, or a script."""
    for ending, interpreter in (".py", "python3"), (".js", "node"):
        script = os.path.join(WORK, name + ending)
        if os.path.exists(script):
            if not shutil.which(interpreter):
                raise Skipped("no %s here" % interpreter)
            return script
    return os.path.join(work, name)


def programs():
    """The names of all programs below WORK: C files and executable scripts."""
    return sorted(os.path.splitext(f)[0] for where, _, files in os.walk(WORK) for f in files
                  if f.endswith(".c") or f.endswith((".py", ".js")) and os.access(os.path.join(where, f), os.X_OK))


def cgroup2():
    """The mount point of cgroup version 2, or None."""
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        for line in f:
            if " - cgroup2 " in line:
                return line.split()[4]
    return None


def in_cgroup(group, cmd):
    return ["/bin/sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', group] + cmd
