# SPDX-License-Identifier: GPL-2.0-or-later
"""kdig asks pdns_recursor, whose Lua script runs a program for each name. This program waits for the lock (flock) of
the list of bad names. The job that renews the list has the lock, and its curl waits for a webfsd in a frozen control
group."""
import os

from lib import in_cgroup
from scene import descendants

HELD_OUT = True
NEEDS = {"pdns_recursor": "pdns-recursor", "kdig": "knot-dnsutils", "flock": "util-linux", "curl": "curl",
         "webfsd": "webfs", "ss": "iproute2"}
CONFIG = """local-address=127.0.0.1
local-port={port}
socket-dir={w}
lua-dns-script={w}/list.lua
threads=1
daemon=no
disable-packetcache=yes
security-poll-suffix=
hint-file=no
"""
LUA = """
function preresolve(dq)
    local f = io.popen("exec flock -s '{w}/list.lock' grep -c -x '" .. dq.qname:toStringNoDot() .. "' '{w}/list'")
    local n = f:read("*n")
    f:close()
    dq:addAnswer(pdns.A, n == 0 and "10.1.2.3" or "127.0.0.2", 1)
    return true
end
"""


def play(s):
    port, lock = s.port(), s.path("list.lock")
    for name, text in (("recursor.conf", CONFIG.format(port=port, w=s.where)), ("list.lua", LUA.format(w=s.where)),
                       ("list", "bad.example.org\n"), ("list.lock", "")):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("recursor", ["pdns_recursor", "--config-dir=" + s.where])

    def kdig(name, *options):
        return ["kdig", "@127.0.0.1", "-p", port, "+short", "+retry=0", *options, name]

    s.wait("the recursor listens", lambda: s.connects(port))
    s.check("a bad name is known", s.out(kdig("bad.example.org", "+time=20")) == "127.0.0.2")
    s.check("another name is not bad", s.out(kdig("shop.example.org", "+time=20")) == "10.1.2.3")
    mirror = s.port()
    url = "http://127.0.0.1:%s/list" % mirror
    group, old = s.control_group("freezer", "pdns-%d" % os.getpid())

    def freeze(yes):
        with open(os.path.join(group, "freezer.state" if old else "cgroup.freeze"), "w", encoding="ascii") as f:
            f.write(("FROZEN" if yes else "THAWED") if old else str(int(yes)))

    s.start("mirror", in_cgroup(group, ["webfsd", "-F", "-i", "127.0.0.1", "-p", mirror, "-r", s.where]))
    s.callback(freeze, False)
    s.wait("the mirror answers", lambda: s.connects(mirror))
    s.check("the mirror has the list", s.out(["curl", "-sS", url]) == "bad.example.org")
    freeze(True)
    s.start("renew", ["flock", "-x", lock, "curl", "-sS", "-o", s.path("list.new"), url])
    s.wait("the job runs", lambda: s.child("renew", "curl"))
    s.role("curl", s.child("renew", "curl"))

    def unread():
        """The bytes of the job's question that the mirror has not read."""
        rows = s.out(["ss", "-tnH", "state", "established", "sport = :" + mirror]).splitlines()
        return sum(int(row.split()[0]) for row in rows)

    s.wait("the job has the lock", lambda: s.locks(lock)["owners"] == [s.pid("renew")])

    s.begin()
    victim = s.start("victim", kdig("shop.example.org", "+time=60"))
    s.wait("the program of the script waits for the lock", lambda: len(s.locks(lock)["waiters"]) == 1)
    s.role("check", s.locks(lock)["waiters"][0])
    s.during("the program of the recursor waits for the lock of the job", lambda: s.locks(lock) == {
        "owners": [s.pid("renew")], "waiters": [s.pid("check")]} and s.pid("check") in descendants(s.pid("recursor")))
    s.during("the recursor reads from this program", lambda: s.wchan("recursor").endswith("pipe_read"))
    s.during("the job's curl waits for the mirror, and flock for curl", lambda: unread() > 0 and
             s.state("curl") == "S" and s.syscall("renew") == "wait4" and s.child("renew") == s.pid("curl"))
    s.during("the mirror is frozen", lambda: s.wchan("mirror") in ("__refrigerator", "do_freezer_trap"))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.output("victim") == "")
    s.hang(victim="victim", culprits=["mirror", "test"], causes=["stopped"],
           vague=["curl", "renew", "check", "recursor"])
    yield
    freeze(False)
    s.ended("victim")
    s.check("the address came", s.output("victim") == "10.1.2.3\n")
