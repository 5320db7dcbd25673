# SPDX-License-Identifier: GPL-2.0-or-later
"""Judges the answers about the hangs of storm_hangs. test/README.md has the rules."""
import re


def judge(d, hang):
    """Returns the outcome of a diagnosis: right, unknown or WRONG."""
    root, weak = d["root_cause"], d["confidence"] == "weak"
    named = {root["tid"], root["pid"]} & set(hang.roots)
    if named and d["cause"] in hang.causes:
        return "right"
    if hang.victim in hang.roots:  # no other task is to blame, so the cause decides
        return "unknown" if root["tid"] == hang.victim and weak else "WRONG"
    if named:
        return "unknown"  # the right task, but the wrong cause
    if root["tid"] == hang.victim and (weak or d["cause"] != "none" and root["resource"]["kind"] in [*hang.kinds, "unknown"]):
        return "unknown"
    hinted = {int(x) for choice in d["choices"] for x in re.findall(r"\[(\d+)", choice)}
    return "unknown" if weak and (hinted | {c["tid"] for c in d["chain"]}) & set(hang.roots) else "WRONG"
