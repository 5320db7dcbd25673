# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a cluster of node. Its workers are idle, but the primary accepts the connections, and waits in
spawnSync for a dd, which waits for a slow disk."""
import re

from scene import proc

HELD_OUT = True
NEEDS = {"node": "nodejs", "curl": "curl", "dd": "coreutils", "ss": "iproute2", "mkfs.ext2": "e2fsprogs",
         "losetup": "mount"}

SHOP = """
const cluster = require('cluster'), http = require('http'), {spawnSync} = require('child_process');
const [port, copy] = process.argv.slice(2);
if (cluster.isMaster) {
  for (let i = 0; i < 2; i++)
    cluster.fork();
  process.stdin.on('data', () => {
    console.log('saves');
    const dd = spawnSync('dd', ['if=/dev/zero', 'of=' + copy, 'bs=128k', 'count=32', 'oflag=direct']);
    console.log('saved', dd.status);
  });
} else {
  http.createServer((q, r) => r.end('hello\\n')).listen(Number(port), '127.0.0.1', () => console.log('ready'));
}
"""


def play(s):
    with open(s.path("shop.js"), "w", encoding="ascii") as f:
        f.write(SHOP)
    disk, _, limit = s.slow_disk(32)
    ports = {"primary": s.port(), "bystander": s.port()}
    for name, port in ports.items():
        s.start(name, ["node", "shop.js", port, disk + "/" + name], talk=True)
        s.wait("%s is ready" % name, lambda name=name: s.output(name).count("ready") == 2, 20)
    url = "http://127.0.0.1:%s/"
    s.check("both serve", all(s.out(["curl", "-s", url % p]) == "hello" for p in ports.values()))
    workers = [int(x.split()[0]) for x in s.out(["ps", "-o", "pid=,args=", "--ppid", s.pid("primary")]).splitlines()
               if "shop.js" in x]
    s.check("there are two workers", len(workers) == 2)
    for i, pid in enumerate(workers):
        s.role("worker%d" % i, pid)

    limit(16384)
    s.say("primary", "save")
    s.wait("dd runs", lambda: s.child("primary", "dd"))
    s.role("dd", s.child("primary", "dd"))
    s.wait("dd waits for the disk", lambda: s.state("dd") == "D")
    s.begin()
    victim = s.start("victim", ["curl", "-s", url % ports["primary"]])

    def queued():
        """How many connections wait for an accept."""
        return int(s.out(["ss", "-tlnH", "sport", "=", ":" + ports["primary"]]).split()[1])

    s.wait("curl's connection is in the queue", lambda: queued() == 1)
    s.during("curl's connection is in the queue", lambda: queued() == 1 and victim.poll() is None and
             s.output("victim") == "")
    s.during("only the primary listens", lambda: re.findall(r"pid=(\d+)", s.out(
        ["ss", "-tlnpH", "sport", "=", ":" + ports["primary"]])) == [str(s.pid("primary"))])
    s.during("the primary waits for dd", lambda: "saved" not in s.output("primary") and s.state("primary") == "S" and
             s.child("primary", "dd") == s.pid("dd"))
    s.during("dd waits for the disk", lambda: s.state("dd") == "D" and proc(s.pid("dd"), "comm") == "dd\n")
    s.during("the workers wait", lambda: all(s.state(w) == "S" for w in ("worker0", "worker1")))
    s.during("the other cluster serves", lambda: s.out(["curl", "-s", url % ports["bystander"]]) == "hello")
    s.hang(victim="victim", culprits=["dd"], causes=["disk"], vague=["primary"],
           wrong=["worker0", "worker1", "bystander", "test"])
    yield
    limit(0)
    s.ended("victim")
    s.check("curl has the answer", s.output("victim") == "hello\n")
    s.check("dd ended well", "saved 0" in s.output("primary"))
