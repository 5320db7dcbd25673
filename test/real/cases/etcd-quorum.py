# SPDX-License-Identifier: GPL-2.0-or-later
"""`etcdctl put` waits for a cluster of three etcd. A write needs a majority, but SIGSTOP has stopped two of the members, so the
third one cannot commit the write. An etcd of another cluster works."""
import os
import signal
import subprocess

HELD_OUT = True
NEEDS = {"etcd": "etcd-server", "etcdctl": "etcd-client"}
MEMBERS = ["one", "two", "three"]


def play(s):
    ports = {name: (s.port(), s.port()) for name in (*MEMBERS, "other")}

    def urls(name):
        return tuple("http://127.0.0.1:" + port for port in ports[name])

    def start(name, cluster):
        front, peer = urls(name)
        s.start(name, ["etcd", "--name", name, "--data-dir", s.path("data-" + name), "--listen-client-urls", front,
                       "--advertise-client-urls", front, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
                       "--initial-cluster", ",".join("%s=%s" % (n, urls(n)[1]) for n in cluster), "--unsafe-no-fsync",
                       "--heartbeat-interval", "500", "--election-timeout", "9000", "--log-level", "warn"])

    for name in MEMBERS:
        start(name, MEMBERS)
    start("other", ["other"])

    def ctl(name, *words):
        return ["env", "ETCDCTL_API=3", "etcdctl", "--endpoints", "127.0.0.1:" + ports[name][0], "--command-timeout", "60s",
                *words]

    def status(name):
        """(the member's id, the leader's id)"""
        row = s.out(ctl(name, "endpoint", "status", "-w", "fields"), timeout=10)
        words = dict(line.replace('"', "").split(" : ") for line in row.splitlines() if " : " in line)
        return words["MemberID"], words["Leader"]

    for name in MEMBERS + ["other"]:
        s.wait("%s listens" % name, lambda name=name: s.connects(ports[name][0]), 40)

    def written(name):
        said = subprocess.run(ctl(name, "put", "stock", "17"), capture_output=True, text=True, timeout=60, check=False)
        return said.stdout.strip() == "OK"

    for name in "one", "other":
        s.wait("%s takes a write" % name, lambda name=name: written(name), 60)
    leader = next(n for n in MEMBERS if status(n)[0] == status(n)[1])
    followers = [n for n in MEMBERS if n != leader]
    stopped = ["stopped0", "stopped1"]
    for role, name in zip(["leader", *stopped], [leader, *followers]):
        s.roles[role] = s.roles.pop(name)

    s.begin()
    for role in stopped:
        os.kill(s.pid(role), signal.SIGSTOP)
    s.wait("two members stop", lambda: [s.state(r) for r in stopped] == ["T", "T"])
    victim = s.start("victim", ctl(leader, "put", "stock", "18"))
    s.wait("the client is connected", lambda: "pid=%d," % victim.pid in s.out(
        ["ss", "-tnpH", "state", "established", "dport = :" + ports[leader][0]]))
    s.during("two members are stopped", lambda: [s.state(r) for r in stopped] == ["T", "T"])
    s.during("the leader has no majority, and keeps the old value", lambda: s.out(
        ctl(leader, "get", "--consistency=s", "--print-value-only", "stock"), timeout=10) == "17")
    s.during("the client waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.during("the other cluster takes writes", lambda: s.out(ctl("other", "put", "stock", "17"), timeout=10) == "OK")
    s.hang(victim="victim", culprits=[*stopped, "test"], causes=["stopped"], vague=["leader"], wrong=["other"])
    yield
    for role in stopped:
        os.kill(s.pid(role), signal.SIGCONT)
    s.ended("victim")
    s.check("the value is written", s.output("victim").strip() == "OK")
