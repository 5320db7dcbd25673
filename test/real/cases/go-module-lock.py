# SPDX-License-Identifier: GPL-2.0-or-later
"""go waits for the lock of a module in the cache of modules. Another go owns the lock: it downloads this module, and waits for
a connection to the proxy of modules. A firewall (nftables) drops its SYNs. All this is in a network of its own."""
import os
import re
import zipfile

from scene import Missing, proc

HELD_OUT = False
NEEDS = {"go": "golang-go", "nft": "nftables", "ip": "iproute2", "ss": "iproute2", "unshare": "util-linux",
         "nsenter": "util-linux", "python3": "python3", "curl": "curl"}
PROXY, PORT, OTHER_PORT = "10.213.83.2", 8080, 8081
NETWORK = """
ip link set lo up
ip addr add %s/32 dev lo
echo ready
exec sleep 3600
"""
FIREWALL = """table ip modules {
 chain input { type filter hook input priority 0; policy accept; tcp dport %d counter drop; }
}
"""
MODULE, VERSION = "shop.example/stamp", "v1.0.0"


def play(s):
    base = s.path("www/%s/@v" % MODULE)
    os.makedirs(base)
    for name, text in (base + "/list", VERSION + "\n"), \
            (base + "/%s.info" % VERSION, '{"Version":"%s","Time":"2026-01-02T03:04:05Z"}\n' % VERSION), \
            (base + "/%s.mod" % VERSION, "module %s\n" % MODULE), (s.path("network"), NETWORK % PROXY), \
            (s.path("firewall"), FIREWALL % PORT):
        with open(name, "w", encoding="ascii") as f:
            f.write(text)
    with zipfile.ZipFile(base + "/%s.zip" % VERSION, "w") as z:
        for name, text in ("go.mod", "module %s\n" % MODULE), ("stamp.go", "package stamp\n"):
            z.writestr("%s@%s/%s" % (MODULE, VERSION, name), text)

    s.start("network", ["unshare", "-n", "sh", "network"])
    s.wait("the network is ready", lambda: "ready" in s.output("network"))
    inside = ["nsenter", "-t", s.pid("network"), "-n"]
    server = [*inside, "/usr/bin/python3", "-m", "http.server", "-b", PROXY, "-d", s.path("www")]
    s.start("proxy", [*server, PORT])
    s.start("other_proxy", [*server, OTHER_PORT])
    for port in PORT, OTHER_PORT:
        s.wait("a proxy listens", lambda port=port: s.out([*inside, "ss", "-ltnH", "sport = :%d" % port]), 20)

    def env(cache, port):
        return {**{k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith("GO")},
                "HOME": s.where, "GOMODCACHE": s.path(cache), "GOCACHE": s.path("build"), "GOSUMDB": "off",
                "GOFLAGS": "-modcacherw", "GOPROXY": "http://%s:%d" % (PROXY, port), "GONOPROXY": "none"}

    get = ["mod", "download", "%s@%s" % (MODULE, VERSION)]
    good = s.start("good", [*inside, "go", *get], env=env("good", PORT))
    s.wait("a download ends", lambda: good.poll() is not None, 30)
    s.check("it is good", good.poll() == 0 and os.path.exists(s.path("good/%s@%s/stamp.go" % (MODULE, VERSION))))
    # The cache knows the version already, but does not have its files.
    os.makedirs(s.path("cache/cache/download/%s/@v" % MODULE))
    for kind in ".info", ".mod":
        with open(base + "/" + VERSION + kind, "rb") as f, \
                open(s.path("cache/cache/download/%s/@v/%s%s" % (MODULE, VERSION, kind)), "wb") as to:
            to.write(f.read())
    lock = s.path("cache/cache/download/%s/@v/%s.lock" % (MODULE, VERSION))
    try:
        s.out([*inside, "nft", "-f", s.path("firewall")])
    except Exception as e:
        raise Missing("no nftables: %s" % e) from None

    def dropped():
        return int(re.search(r"counter packets (\d+)", s.out([*inside, "nft", "list", "table", "ip", "modules"])).group(1))

    def connecting():
        rows = s.out([*inside, "ss", "-tnpH", "state", "syn-sent", "dport = :%d" % PORT]).splitlines()
        return len(rows) == 1 and "pid=%d," % s.pid("owner") in rows[0]

    s.start("owner", [*inside, "go", *get], env=env("cache", PORT))
    s.wait("a go owns the lock, and tries to connect", lambda: proc(s.pid("owner"), "comm") == "go\n" and
           s.locks(lock)["owners"] == [s.pid("owner")] and connecting() and dropped() > 0, 30)
    s.begin()
    victim = s.start("victim", [*inside, "go", *get], env=env("cache", PORT))
    s.wait("the other go waits for the lock", lambda: s.locks(lock)["waiters"] == [victim.pid], 20)

    def waiter():
        """The thread of the victim that waits for the lock."""
        return [t for t in s.threads("victim") if proc(victim.pid, "syscall", t).split()[0] == "73"]

    s.role("waiter", victim.pid, waiter()[0])
    s.during("one go has the lock, and the other one waits for it",
             lambda: s.locks(lock) == {"owners": [s.pid("owner")], "waiters": [victim.pid]} and victim.poll() is None)
    s.during("the owner tries to connect, and the firewall drops its SYNs", lambda: connecting() and dropped() > 0)
    s.during("neither computes", lambda: not s.uses_cpu("owner", 0.2, 0.2) and not s.uses_cpu("victim", 0.2, 0.2))
    s.during("the proxy is idle", lambda: not s.uses_cpu("proxy", 0.2, 0.2))
    ask = [*inside, "curl", "-sS", "--noproxy", "*", "http://%s:%d/%s/@v/list" % (PROXY, OTHER_PORT, MODULE)]
    s.during("another proxy in this network answers", lambda: s.out(ask, timeout=10) == VERSION)
    s.hang(victim="waiter", culprits=["owner"], causes=["network", "external", "slow-peer"], stuck=["victim"],
           wrong=["proxy", "other_proxy", "network", "test"])
    yield
    s.out([*inside, "nft", "flush", "ruleset"])
    s.ended("victim")  # with the next SYN
    s.ended("owner")
    s.check("the module is there", os.path.exists(s.path("cache/%s@%s/stamp.go" % (MODULE, VERSION))))
