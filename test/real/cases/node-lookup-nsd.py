# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a node server in a container. A thread of node's pool waits in getaddrinfo for nsd, the name server of this
container. The control group of nsd is frozen. An nsd of another container is stopped too, but nobody asks it."""
import contextlib
import os
import signal

from lib import cgroup2
from scene import Missing, descendants, proc

HELD_OUT = False
NEEDS = {"node": "nodejs", "nsd": "nsd", "curl": "curl", "unshare": "util-linux", "nsenter": "util-linux", "ip": "iproute2",
         "mount": "mount", "ss": "iproute2"}
SHOP = """
const dns = require('dns'), fs = require('fs'), http = require('http');
http.createServer((ask, answer) => {
    if (ask.url === '/hours')
        return answer.end('open');
    dns.lookup(ask.url.slice(1) + '.shop.test', {family: 4}, (wrong, to) => answer.end(wrong ? wrong.code : to));
}).listen(process.argv[2], () => console.log('ready'));
"""
NSD = """server:
  ip-address: 127.0.0.1
  port: 53
  username: ""
  chroot: ""
  zonesdir: "%(where)s"
  zonelistfile: "%(where)s/zone.list"
  xfrdfile: ""
  xfrdir: "%(where)s"
  database: ""
  pidfile: ""
  server-count: 1
remote-control:
  control-enable: no
zone:
  name: shop.test
  zonefile: shop.zone
"""
ZONE = """$ORIGIN shop.test.
$TTL 60
@ SOA ns hostmaster 1 60 60 60 60
@ NS ns
ns A 127.0.0.1
* A 192.0.2.7
"""
INIT = """
ip link set lo up
mount --bind resolv.conf /etc/resolv.conf
mount --bind nsswitch.conf /etc/nsswitch.conf
nsd_group=$1
shift
(if [ -n "$nsd_group" ]; then sh -c 'echo $PPID' >"$nsd_group/cgroup.procs"; fi; exec nsd -d -c "$PWD/nsd.conf") &
exec "$@"
"""


def play(s):
    group = os.path.join(cgroup2() or "/", "ctrace-test-node-nsd")
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no control group of version 2 can be made here: %s" % e) from None
    s.callback(os.rmdir, group)

    def freeze(on):
        with open(os.path.join(group, "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write(str(int(on)))

    def frozen():
        with open(os.path.join(group, "cgroup.events"), encoding="ascii") as f:
            return "frozen 1" in f.read()

    def thaw():
        with contextlib.suppress(OSError):
            freeze(False)

    def nsds(name):
        return [p for p in descendants(s.pid(name)) if proc(p, "comm").startswith("nsd")]

    for name in "shop", "decoy":
        os.mkdir(s.path(name))
        for file, text in ("nsd.conf", NSD % {"where": s.path(name)}), ("shop.js", SHOP), ("init", INIT), \
                ("resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:1\n"), \
                ("nsswitch.conf", "hosts: files dns\n"), ("shop.zone", ZONE):
            with open(os.path.join(s.path(name), file), "w", encoding="ascii") as f:
                f.write(text)
        program = ["node", "shop.js", s.path(name + "/socket")]
        s.start(name, ["unshare", "-n", "-m", "sh", "init", group if name == "shop" else "", *program], cwd=s.path(name))

    def get(name, what):
        return ["curl", "-sS", "--unix-socket", s.path(name + "/socket"), "http://shop/" + what]

    for name in "shop", "decoy":
        s.wait("node listens", lambda name=name: "ready" in s.output(name), 20)
        s.wait("nsd answers", lambda name=name: s.out(get(name, "first"), timeout=40) == "192.0.2.7", 20)
        for i, pid in enumerate(nsds(name)):
            s.role("%s_nsd%d" % (name, i), pid)
    own = sorted(r for r in s.roles if r.startswith("shop_nsd"))
    others = sorted(r for r in s.roles if r.startswith("decoy_nsd"))
    s.check("all nsd are in the group", own and all("/ctrace-test-node-nsd\n" in proc(s.pid(r), "cgroup") for r in own))

    def unread():
        """The bytes of the question that nsd has not read."""
        return sum(int(line.split()[1]) for line in
                   s.out(["nsenter", "-t", s.pid("shop"), "-n", "ss", "-uanH", "sport = :53"], timeout=5).splitlines())

    def asks():
        """The threads of node that wait for a socket of UDP."""
        return [t for t in s.threads("shop") if t != s.pid("shop") and proc(s.pid("shop"), "syscall", t).split()[0] == "7"]

    s.begin()
    for r in others:
        os.kill(s.pid(r), signal.SIGSTOP)
    freeze(True)
    s.wait("the group is frozen", frozen)
    try:
        victim = s.start("victim", get("shop", "second"))
        s.wait("nsd has a question", lambda: unread() > 0 and len(asks()) == 1)
        s.role("thread", s.pid("shop"), asks()[0])
        s.during("nsd is frozen, and has not read the question", lambda: frozen() and unread() > 0)
        s.during("a thread of node waits for the answer", lambda: asks() == [s.roles["thread"][1]])
        s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S")
        s.during("node answers other questions", lambda: s.out(get("shop", "hours"), timeout=5) == "open")
        s.during("the other nsd is stopped", lambda: all(s.state(r) == "T" for r in others))
        s.during("three networks", lambda: len({os.readlink("/proc/%s/ns/net" % p) for p in
                                               ("self", s.pid("shop"), s.pid("decoy"))}) == 3 and
                 os.readlink("/proc/%d/ns/net" % s.pid(own[0])) == os.readlink("/proc/%d/ns/net" % s.pid("shop")))
        s.hang(victim="victim", culprits=[*own, "test"], causes=["stopped"], vague=["thread", "shop"],
               wrong=["decoy", *others])
        yield
    finally:
        thaw()
    s.ended("victim")
    s.check("the answer came", s.output("victim") == "192.0.2.7")
    for r in others:
        os.kill(s.pid(r), signal.SIGCONT)
