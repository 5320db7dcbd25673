# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a standby service follows `etcdctl watch` on purpose. The leader writes its heartbeat about every 0.5 s, and each one
arrives at once. Another watch is silent."""
HELD_OUT = False
NEEDS = {"etcd": "etcd-server", "etcdctl": "etcd-client", "sh": "dash"}


def play(s):
    front, peer = s.port(), s.port()
    url, peers = "http://127.0.0.1:" + front, "http://127.0.0.1:" + peer
    s.start("etcd", ["etcd", "--data-dir", s.path("etcd"), "--listen-client-urls", url, "--advertise-client-urls", url,
                     "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster",
                     "default=" + peers, "--unsafe-no-fsync", "--log-level", "warn"])
    ctl = ["env", "ETCDCTL_API=3", "etcdctl", "--endpoints", "127.0.0.1:" + front]
    s.wait("etcd answers", lambda: s.connects(front))
    s.check("etcd takes a write", s.out([*ctl, "put", "leader", "0"]) == "OK")
    for name, key in ("standby", "leader"), ("silent", "garden"):
        s.start(name, [*ctl, "watch", key])
    beat = "n=0; while sleep 0.5; do n=$((n + 1)); %s put leader beat$n; done" % " ".join(ctl)
    s.start("leader", ["sh", "-c", beat])

    def came():
        return s.output("standby").count("beat")

    s.wait("a heartbeat comes", lambda: came() > 0)

    s.begin()

    def goes_on():
        n = came()
        s.wait("a heartbeat comes", lambda: came() > n, 4)
        return True

    s.during("heartbeats come", goes_on)
    s.during("the other watch is silent", lambda: s.output("silent") == "" and s.state("silent") == "S")
    s.normal(victim="standby", causes=["timer", "external"])
    yield
    n = came()
    s.went_on("more heartbeats come", lambda: came() > n)
    s.check("many heartbeats came", n > s.seconds // 2)
