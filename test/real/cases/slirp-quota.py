# SPDX-License-Identifier: GPL-2.0-or-later
"""curl, in a network of its own, waits for a file of a web server. All packets go through slirp4netns. The CPU quota of the
control group of slirp4netns lets it run for 1 % of the time."""
import os

from lib import in_cgroup
from scene import proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"slirp4netns": "slirp4netns", "mini_httpd": "mini-httpd", "curl": "curl", "unshare": "util-linux",
         "nsenter": "util-linux", "ip": "iproute2"}
MB = 60
HOST = "10.0.2.2"  # what slirp4netns calls the network outside


def play(s):
    if not os.path.exists("/dev/net/tun"):
        s.out(["sh", "-c", "mkdir -p /dev/net && mknod /dev/net/tun c 10 200"])
    port = s.port()
    group, old = s.control_group("cpu", "slirp-quota")
    os.mkdir(s.path("pub"))
    for name, size in ("photo", MB << 20), ("note", 10):
        with open(s.path("pub/" + name), "wb") as f:
            f.truncate(size)
    s.start("web", ["mini_httpd", "-D", "-h", "127.0.0.1", "-p", port, "-d", s.path("pub")])
    s.wait("mini_httpd listens", lambda: s.connects(port), 30)
    for name in "home", "other":
        home = s.start(name, ["unshare", "-n", "sleep", "3600"])
        s.wait("the network is there", lambda home=home: proc(home.pid, "comm") == "sleep\n" and
               os.readlink("/proc/%d/ns/net" % home.pid) != os.readlink("/proc/self/ns/net"))
        slirp = ["slirp4netns", "--configure", str(home.pid), "tap0"]
        s.start("slirp_" + name, in_cgroup(group, slirp) if name == "home" else slirp)

    def get(name, page):
        return ["nsenter", "-t", s.pid(name), "-n", "curl", "-sS", "-o", s.path(page + ".got"), "http://%s:%s/%s" %
                (HOST, port, page)]

    for name in "home", "other":
        s.wait("slirp4netns has made its network", lambda name=name: "tap0" in s.out(
            ["nsenter", "-t", s.pid(name), "-n", "ip", "-4", "addr", "show", "dev", "tap0"]), 30)
        s.out(get(name, "note"))
        s.check("the note comes", os.path.getsize(s.path("note.got")) == 10)

    set_quota(group, old, 1000)
    s.begin()
    victim = s.start("victim", get("home", "photo"))
    s.wait("curl runs", lambda: proc(victim.pid, "comm") == "curl\n")
    s.wait("slirp4netns is throttled", lambda: throttled(group) > 5)

    def still_throttled():
        before = throttled(group)
        s.wait("the group is throttled again", lambda: throttled(group) > before, 3)
        return True

    def got():
        return os.path.getsize(s.path("photo.got")) if os.path.exists(s.path("photo.got")) else 0

    s.during("the group is throttled again and again", still_throttled)
    s.during("slirp4netns is in the group, and gets almost nothing", lambda: not s.uses_cpu("slirp_home", 0.1) and
             "/ctrace-test-slirp-quota\n" in proc(s.pid("slirp_home"), "cgroup"))
    s.during("curl waits", lambda: victim.poll() is None and not s.uses_cpu("victim", 0.1) and got() < MB << 20)
    s.during("the web server waits for clients", lambda: s.state("web") == "S" and not s.uses_cpu("web", 0.2))
    s.during("the other network works", lambda: s.out(get("other", "note"), timeout=8) == "")
    s.hang(victim="victim", culprits=["slirp_home"], causes=["starved"], wrong=["web", "slirp_other", "home", "test"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.check("the photo came", got() == MB << 20)
