# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the edges of a causal graph with the edges that a program printed (work/told.h).

A strong edge between two tasks of the program is a claim. A claim agrees with a printed edge if all of this holds:
- The claim has the same first task as the printed edge, and the same second task. For the receiver of a signal and the
  sender of an exit, the same process is enough.
- The kind of the claim is possible for the kind of the printed edge (KINDS).
- The claim lies within the time of the printed edge.

Each printed edge gets one claim that agrees with it, if there is one. No two printed edges get the same claim.
Exception: one segment sent several messages, and one call received them. Then the graph has at most one edge, so all
of these messages get the same claim.

A claim is right if a printed edge got it. A claim that no printed edge got is right too if it agrees with a printed
edge that got another claim. Example: three claims agree with one printed edge. The edge gets one of them, and all
three are right.
"""
import collections

# The kinds that a printed edge may have in the graph.
KINDS = {
    "post": {"post", "job"},
    "queue": {"post", "job"},
    "message": {"message"},
    "connect": {"message", "wake"},
    "close": {"message"},
    "pipe": {"pipe"},
    "eventfd": {"eventfd"},
    "fork": {"fork", "vfork"},
    "exit": {"exit", "signal", "vfork"},
    "signal": {"signal"},
    "file-lock": {"file-lock"},
    "flag": {"data-flag"},
}
# The time of a record and the time that the program prints may differ by this much, because they come from clocks
# that run at different rates.
SLACK_NS = 50_000

# Programs that print a complete list of edges between their tasks.
LABELLED = """
    backoff barrier build child circle-timeout cond-producer cond-timed deadlock deep epoll-server eventfd
    flock fork-exec fsync heartbeat idle-server inversion join mutex-busy mutex-convoy mutex-handover mutex-pi
    n-to-m node-server pipeline pool proxy py-asyncio py-pool rwlock semaphore service setlk-poll sigwait
    socketpair spin-futex starved-fifo starved-nice tcp-batch tcp-epoll tcp-recv timerfd unix-batch
    unix-stream uring yield-spin
""".split()


class Told(collections.namedtuple("Told", "kind from_tid left to_tid arrived seen")):
    """An edge that the program printed. seen: the trace can have a record of the edge (`slept` in told.h)."""


class Claim(collections.namedtuple("Claim", "kind from_tid left to_tid arrived from_pid to_pid began ended")):
    """An edge of the graph. began, ended: the times of the segment from which the edge comes."""


class Truth:
    def __init__(self, text):
        self.edges, self.pids, self.unrelated, self.related = [], {}, set(), set()
        for line in text.splitlines():
            key, _, value = line.partition("=")
            if key == "edge":
                kind, *numbers, seen = value.split()
                self.edges.append(Told(kind, *map(int, numbers), seen == "slept"))
            elif key in ("related", "unrelated") or key.startswith("role."):
                pid, tid = map(int, value.split("/"))
                self.pids[tid] = pid
                if not key.startswith("role."):
                    getattr(self, key).add(tid)
        self.tasks = set(self.pids)
        for e in self.edges:
            self.tasks |= {e.from_tid, e.to_tid}


def claims(graph, tasks):
    """The strong edges between two of these tasks, as claims."""
    segments = {s["id"]: s for s in graph["segments"]}
    for e in graph["edges"]:
        if e["strength"] != "strong" or e["from"] is None:
            continue
        a, b = segments.get(e["from"]), segments.get(e["to"])
        if not a or not b or a["tid"] == b["tid"] or b["tid"] not in tasks:
            continue
        # An `exit` edge comes from a process's last thread, which the program may not have printed.
        if a["tid"] in tasks or e["kind"] == "exit" and a["pid"] != b["pid"] and a["pid"] in tasks:
            yield Claim(e["kind"], a["tid"], e["left_ns"], b["tid"], e["arrived_ns"], a["pid"], b["pid"],
                        a["from_ns"], a["to_ns"])


def agrees(told, claim):
    # The kernel chooses the thread that gets a signal. Any thread can be the last one at an exit.
    to = claim.to_pid if told.kind == "signal" and told.to_tid == claim.to_pid else claim.to_tid
    by = claim.from_pid if told.kind == "exit" and told.from_tid == claim.from_pid else claim.from_tid
    return (told.from_tid == by and told.to_tid == to and claim.kind in KINDS[told.kind] and
            min(claim.left, claim.arrived) >= told.left - SLACK_NS and
            max(claim.left, claim.arrived) <= told.arrived + SLACK_NS)


class Judged:
    """Compares the claims (strong edges of the graph) with the edges that the program printed. The top of this file says
    which printed edge gets a claim, and which claims are right. Each printed edge is in one of these lists:
    - hit: it got a claim
    - missed: it got no claim, although the trace can have a record of it
    - unseen: it got no claim, but the trace may have no record of it

    Each claim is in the list `right` or in the list `wrong`."""

    def __init__(self, truth, claimed):
        by_from = collections.defaultdict(list)
        for c in sorted(claimed, key=lambda c: c.arrived):
            for who in {c.from_tid, c.from_pid}:
                by_from[who].append(c)
        self.hit, self.missed, self.unseen, used, calls = [], [], [], set(), {}
        # The printed edges get claims in the order of their arrival, but edges of the kind `connect` come last. A
        # claim of the kind `message` may agree with a `message` and with a `connect`: the `message` gets it.
        for t in sorted(truth.edges, key=lambda t: (t.kind == "connect", t.arrived)):
            found = next((c for c in by_from[t.from_tid] if id(c) not in used and agrees(t, c)), None)
            call = (t.from_tid, t.to_tid, t.arrived)
            if found:
                used.add(id(found))
                self.hit.append(t)
                if t.kind == "message":
                    calls[call] = found
            elif t.kind == "message" and call in calls and calls[call].began - SLACK_NS <= t.left < calls[call].ended:
                self.hit.append(t)
            else:
                (self.missed if t.seen else self.unseen).append(t)
        self.right, self.wrong = [], []
        for c in claimed:
            good = id(c) in used or any(agrees(t, c) for t in self.hit)
            (self.right if good else self.wrong).append(c)

    @property
    def precision(self):
        return ratio(len(self.right), len(self.right) + len(self.wrong))

    @property
    def recall(self):
        """Of the printed edges that the trace can show: the share that got a claim."""
        return ratio(self.n_hit_seen, self.n_hit_seen + len(self.missed))

    @property
    def n_hit_seen(self):
        return sum(t.seen for t in self.hit)


def ratio(n, of):
    return n / of if of else None


def unrelated_in(steps, truth):
    """The tasks of a backward slice that have no part in the victim's wait. The start of the program
    does not count, nor what caused the start."""
    pulled = set()
    for step in steps:
        tid, edge = step["segment"]["tid"], step["edge"]
        if tid in truth.tasks:
            if tid in truth.unrelated:
                pulled.add(tid)
        elif edge and edge["kind"] in ("fork", "exec", "vfork"):
            break
        else:
            pulled.add(tid)
    return pulled
