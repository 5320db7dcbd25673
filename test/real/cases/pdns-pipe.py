# SPDX-License-Identifier: GPL-2.0-or-later
"""dig waits for pdns_server, which waits for its pipe backend, a Python script. The script waits for the lock of the
file of names. An importer has the lock: it computes, and has not written the new names yet."""
import os

from scene import Missing, proc

HELD_OUT = False
NEEDS = {"pdns_server": "pdns-server", "dig": "bind9-dnsutils", "python3": "python3"}
MODULE = "/usr/lib/x86_64-linux-gnu/pdns/libpipebackend.so"
BACKEND = """#!/usr/bin/python3
import fcntl
import sys
def say(*words):
    print(*words, sep="\\t", flush=True)
sys.stdin.readline()
say("OK", "the names of the shop")
for line in iter(sys.stdin.readline, ""):
    words = line.rstrip("\\n").split("\\t")
    if words[0] == "Q":
        with open("%(where)s/names") as f:
            fcntl.flock(f, fcntl.LOCK_SH)
            address = f.read().strip()
        if words[1] == "shop.test" and words[3] in ("SOA", "ANY"):
            say("DATA", "shop.test", "IN", "SOA", 60, 1, "ns.shop.test admin.shop.test 1 3600 600 86400 60")
        if words[1] == "www.shop.test" and words[3] in ("A", "ANY"):
            say("DATA", words[1], "IN", "A", 0, 1, address)
    say("END")
"""
IMPORTER = """import fcntl
import hashlib
import os
with open("names", "r+") as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    digest = b"192.0.2.18"
    while not os.path.exists("enough"):
        for _ in range(20000):
            digest = hashlib.sha256(digest).digest()
    f.truncate(0)
    f.write("192.0.2.18\\n")
"""
CONF = """launch=pipe
pipe-command=%(where)s/backend
pipe-timeout=60000
pipe-abi-version=1
local-address=127.0.0.1
local-port=%(port)s
socket-dir=%(where)s
daemon=no
guardian=no
distributor-threads=1
receiver-threads=1
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
security-poll-suffix=
"""


def play(s):
    port, names = s.port(), s.path("names")
    if not os.path.exists(MODULE):
        raise Missing("needs the package pdns-backend-pipe")
    for name, text in ("names", "192.0.2.17\n"), ("backend", BACKEND), ("importer.py", IMPORTER), ("pdns.conf", CONF):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text % {"where": s.where, "port": port} if name in ("backend", "pdns.conf") else text)
    os.chmod(s.path("backend"), 0o755)
    s.start("pdns", ["pdns_server", "--config-dir=" + s.where])

    def dig(seconds):
        return ["dig", "+short", "+tries=1", "+time=%d" % seconds, "-p", port, "@127.0.0.1", "www.shop.test", "A"]

    s.wait("pdns is ready", lambda: "operating unthreaded" in s.output("pdns"), 20)
    s.check("pdns answers", s.out(dig(9)) == "192.0.2.17")
    s.start("importer", ["/usr/bin/python3", "importer.py"])
    s.wait("the importer has the lock", lambda: s.locks(names)["owners"] == [s.pid("importer")])

    s.begin()
    victim = s.start("victim", dig(60))
    s.wait("a backend waits for the lock", lambda: len(s.locks(names)["waiters"]) == 1)
    s.role("backend", s.locks(names)["waiters"][0])
    s.check("the backend is a child of pdns", "PPid:\t%d\n" % s.pid("pdns") in proc(s.pid("backend"), "status"))
    s.during("the backend waits for the importer's lock", lambda: s.locks(names) == {
        "owners": [s.pid("importer")], "waiters": [s.pid("backend")]} and s.syscall("backend") == "flock")
    s.during("the importer computes", lambda: s.uses_cpu("importer", 0.3, 0.8))
    s.during("dig waits, and pdns is idle", lambda: victim.poll() is None and s.state("victim") == "S"
             and not s.uses_cpu("pdns", 0.2, 0.3))
    s.hang(victim="victim", culprits=["importer"], causes=["busy", "lock-holder"], stuck=["pdns", "backend"],
           wrong=["test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("importer")
    s.ended("victim")
    s.check("dig has the new address", s.output("victim").strip() == "192.0.2.18")
