# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges the answers about the hangs of storm_hangs. test/README.md has the rules."""
import collections
import re

from lib import Failed

CpuTime = collections.namedtuple("CpuTime", "ran_ns waited_ns")  # waited_ns: the task could run, but had no CPU


def cpu_times(tids):
    """{tid: CpuTime} of living tasks since their start, as the kernel counts it."""
    times = {}
    for tid in tids:
        try:
            with open("/proc/%d/schedstat" % tid, encoding="ascii") as f:
                times[tid] = CpuTime(*map(int, f.read().split()[:2]))
        except OSError as e:
            raise Failed("the CPU time of task %d is not known: %s" % (tid, e)) from None
    return times


def between(before, after):
    """{tid: CpuTime}: the times between two results of cpu_times()."""
    return {tid: CpuTime(*(b - a for a, b in zip(before[tid], after[tid]))) for tid in before}


def judge(d, hang, times):
    """Judges the diagnosis d of a hang. Returns right, unknown or WRONG.

    times: the CPU times, during the hang, of the tasks to blame, if these tasks compute. Otherwise it is empty.
    """
    root, weak = d["root_cause"], d["confidence"] == "weak"
    named = {root["tid"], root["pid"]} & set(hang.roots)
    starved = {tid for tid, time in times.items() if time.waited_ns > time.ran_ns}
    if named and (d["cause"] in hang.causes or d["cause"] == "starved" and root["tid"] in starved):
        return "right"
    if hang.victim in hang.roots:  # no other task is to blame, so the cause decides
        return "unknown" if root["tid"] == hang.victim and weak else "WRONG"
    if named:
        return "unknown"  # the right task, but the wrong cause
    if root["tid"] == hang.victim and (weak or d["cause"] != "none" and root["resource"]["kind"] in [*hang.kinds, "unknown"]):
        return "unknown"
    hinted = {int(x) for choice in d["choices"] for x in re.findall(r"\[(\d+)", choice)}
    return "unknown" if weak and (hinted | {c["tid"] for c in d["chain"]}) & set(hang.roots) else "WRONG"
