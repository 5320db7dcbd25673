# SPDX-License-Identifier: GPL-2.0-or-later
"""`etcdctl lock` waits for a lock in etcd. Another `etcdctl lock` owns it, and waits for its command, which sleeps."""
import json

HELD_OUT = False
NEEDS = {"etcd": "etcd-server", "etcdctl": "etcd-client"}


def play(s):
    front, peer = s.port(), s.port()
    url, peers = "http://127.0.0.1:" + front, "http://127.0.0.1:" + peer
    s.start("etcd", ["etcd", "--data-dir", s.path("etcd"), "--listen-client-urls", url, "--advertise-client-urls", url,
                     "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster",
                     "default=" + peers, "--unsafe-no-fsync"])
    ctl = ["env", "ETCDCTL_API=3", "etcdctl", "--endpoints", "127.0.0.1:" + front]
    s.wait("etcd answers", lambda: s.connects(front))
    s.wait("etcd has a leader", lambda: s.out([*ctl, "put", "stock", "17"]) == "OK")

    def keys(lock):
        """The keys of the clients that own the lock or wait for it, the owner first."""
        found = json.loads(s.out([*ctl, "get", "--prefix", lock + "/", "--sort-by", "CREATE", "-w", "json"]))
        return [k["key"] for k in found.get("kvs", [])]

    for name, lock, seconds in ("bystander", "garden", 60), ("owner", "shop", s.seconds + 2):
        s.start(name, [*ctl, "lock", lock, "sleep", seconds])
        s.wait("%s has its lock" % name, lambda name=name: s.child(name, "sleep"))
        s.role(name + "_sleep", s.child(name, "sleep"))
    first = keys("shop")
    s.check("the owner has the lock", len(first) == 1)

    s.begin()
    victim = s.start("victim", [*ctl, "lock", "shop", "echo", "locked"])
    s.wait("the victim waits for the lock", lambda: len(keys("shop")) == 2)
    s.during("the owner has the lock, and the victim is the next", lambda: len(keys("shop")) == 2 and keys("shop")[:1] == first)
    s.during("the owner's command sleeps", lambda: s.child("owner", "sleep") == s.pid("owner_sleep") and
             s.syscall("owner_sleep") in ("nanosleep", "clock_nanosleep"))
    s.during("the victim has no lock yet", lambda: victim.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["owner", "owner_sleep"], causes=["lock-holder", "timer"], vague=["etcd"],
           wrong=["bystander", "bystander_sleep", "test"])
    yield
    s.ended("owner")
    s.ended("victim")
    s.check("the victim had the lock", s.output("victim").strip() == "locked")
