# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges an answer of ctrace about a case. run_real says what the verdicts mean."""
import collections

VERDICTS = ["right", "vague", "unknown", "wrong-weak", "wrong-strong", "quiet", "alarm", "invalid", "skipped"]
BAD = {"wrong-weak", "wrong-strong", "alarm", "invalid"}
GOOD = {"right", "quiet"}
# At the end of a chain, these causes blame an unknown task, not the victim.
OPEN_ENDS = {"lock-holder", "slow-peer", "queueing", "missing-wakeup"}

Answer = collections.namedtuple("Answer", "verdict text root cause confidence row", defaults=["", "", "", "", None])


def role_of(roles, task):
    for name, (_, tid) in roles.items():
        if tid == task["tid"]:
            return name
    for name, (pid, tid) in roles.items():
        if pid == tid == task["pid"]:
            return name
    return None


def judge(d, asked, roles, want):
    """asked: the tid of the diagnosed task. roles: {name: (pid, tid)}. want: what Scene.hang() declared."""
    root, weak = d["root_cause"], d["confidence"] == "weak"
    role, victims = role_of(roles, root), [want["victim"], *want["stuck"]]
    itself = root["tid"] == asked or role in victims
    nothing = d["verdict"] == "normal" or d["cause"] == "none"
    wrong = "wrong-weak" if weak else "wrong-strong"
    if want["control"]:
        verdict = "quiet" if nothing or d["cause"] in want["causes"] else "alarm"
    elif nothing:
        verdict = "unknown"
    elif role in want["wrong"]:
        verdict = wrong
    elif role in want["culprits"] and d["cause"] in want["causes"]:
        verdict = "right"
    elif role in want["vague"] or role in want["culprits"] and role not in victims:
        verdict = "vague"
    elif itself and (weak or d["cause"] in OPEN_ENDS):
        verdict = "unknown"
    else:
        verdict = wrong
    named = "%s[%d/%d]%s" % (root["comm"], root["pid"], root["tid"], " (%s)" % role if role else "")
    return Answer(verdict, d["text"], named, d["cause"], d["confidence"])
