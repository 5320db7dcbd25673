# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the answers of ctrace with the contract of its JSON, and with the truth that a program prints."""
from lib import schema

TIMES = {"running_ns", "runnable_ns", "lock_ns", "ipc_ns", "disk_ns", "network_ns", "timer_ns", "queue_ns",
         "fault_ns", "unknown_ns"}


class Errors(list):
    def want(self, good, text):
        if not good:
            self.append(text)


def check_shape(d, err):
    """The rules for the JSON of every diagnosis."""
    err += schema.errors(d, "diagnosis")[:4]
    err.want(set(d["time"]) - {"short_waits_ns"} == TIMES, "time has other members: %s" % sorted(set(d["time"]) ^ TIMES))
    err.want(isinstance(d["choices"], list), "choices is no list")
    err.want(d["window"]["clock"] == "monotonic", "clock is %r" % d["window"]["clock"])
    err.want(bool(d["root_cause"]["text"]), "root_cause has no text")
    for i, part in enumerate(d["chain"]):
        err.want(part["from_ns"] <= part["to_ns"], "a link of the chain ends before it begins")
        err.want((part["edge"]["kind"] == "none") == (i + 1 == len(d["chain"])), "edge %d is %r" % (i, part["edge"]))
    losses = d["losses"]
    err.want(losses["records"] == 0 or losses["gaps"], "%d records lost in no gap" % losses["records"])


def check_truth(d, kv, err):
    roles = {k[5:]: int(v.split("/")[1]) for k, v in kv.items() if k.startswith("role.")}
    names = {tid: name for name, tid in roles.items()}
    want = {k[7:]: v for k, v in kv.items() if k.startswith("expect.") and v != "-"}
    chain = [c["tid"] for c in d["chain"]]
    shown = ",".join(names.get(t, str(t)) for t in chain)

    err.want(d["victim"]["tid"] == int(kv["victim_tid"]), "victim is %s" % d["victim"])
    err.want(d["victim"]["pid"] == int(kv["victim_pid"]), "victim is %s" % d["victim"])
    for key, got in ("verdict", d["verdict"]), ("cause", d["cause"]):
        if key in want:
            err.want(got in want[key].split("|"), "%s is %s, not %s" % (key, got, want[key]))
    if "root" in want:
        root = d["root_cause"]["tid"]
        allowed = want["root"].split(",")
        err.want(any(roles.get(r) == root for r in allowed),
                 "root is %s (%s), not %s" % (root, names.get(root, d["root_cause"].get("comm")), want["root"]))
    if "chain" in want:
        at = 0
        for role in want["chain"].split(","):
            if roles[role] not in chain[at:]:
                err.append("chain is %s, not %s" % (shown, want["chain"]))
                break
            at = chain.index(roles[role], at) + 1
    if "missing" in want:
        missing = d.get("comparison", {}).get("missing", {}).get("tid")
        err.want(missing == roles[want["missing"]], "the comparison names %s (%s), not %s" % (
            missing, names.get(missing, "nobody"), want["missing"]))
    if "kind" in want and chain:
        kind = d["chain"][0]["resource"]["kind"]
        err.want(kind in want["kind"].split("|"), "kind is %s, not %s" % (kind, want["kind"]))


def check_partition(p, begin, end, err):
    pieces = p["pieces"]
    at = begin

    err.want(p.get("schema") == "ctrace.path/1", "path: schema is %r" % p.get("schema"))
    err.want(bool(pieces), "path: no pieces")
    for piece in pieces:
        if piece["from_ns"] != at or piece["to_ns"] <= piece["from_ns"]:
            err.append("path: a piece is [%d, %d) where %d ends" % (piece["from_ns"], piece["to_ns"], at))
            break
        at = piece["to_ns"]
    else:
        err.want(at == end, "path: ends at %d, not %d" % (at, end))
    for name, rows in p["accounts"].items():
        total = sum(row["ns"] for row in rows)
        err.want(total == end - begin, "path: by %s it adds up to %d, not %d" % (name, total, end - begin))
    for row in p["what_if"]:
        err.want(row["saved_ns"] <= end - begin, "path: %d would be saved of %d" % (row["saved_ns"], end - begin))
