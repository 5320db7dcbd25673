# SPDX-License-Identifier: GPL-2.0-or-later
"""The only test of bats has passed, and bats does not end. The test has started a memcached, which has inherited the pipe
for the results. bats reads this pipe until its end, which comes when memcached ends."""
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"bats": "bats", "memcached": "memcached"}
TESTS = """@test "the cache starts" {
  memcached -u root -l 127.0.0.1 -p %s -U 0 -t 1 %s &
  echo $! >%s.pid
}
"""


def play(s):
    for name, close in ("victim", ""), ("good", " 3>&- 4>&- 251>&-"):
        with open(s.path(name + ".bats"), "w", encoding="ascii") as f:
            f.write(TESTS % (s.port(), ">/dev/null 2>&1" + close, name))

    def cache(role, test):
        with open(s.path(test + ".pid"), encoding="ascii") as f:
            s.role(role, int(f.read()))
        s.wait("memcached runs", lambda: proc(s.pid(role), "comm") == "memcached\n")

    # In this test, memcached does not inherit the pipe.
    good = s.start("good", ["bats", "--tap", "good.bats"])
    s.wait("the test passes", lambda: "ok 1" in s.output("good"), 20)
    cache("bystander", "good")
    s.wait("bats ends", lambda: good.poll() is not None)
    s.check("bats has ended", good.poll() == 0)

    victim = s.start("victim", ["bats", "--tap", "victim.bats"])
    s.wait("the test passes", lambda: "ok 1" in s.output("victim"), 20)
    s.begin()
    cache("memcached", "victim")

    def readers():
        """The processes of bats that read from a pipe into which memcached could write."""
        pipes = set()
        for fd in os.listdir("/proc/%d/fd" % s.pid("memcached")):
            pipes.add(os.readlink("/proc/%d/fd/%s" % (s.pid("memcached"), fd)))
        return [pid for pid in descendants(s.pid("victim")) if os.readlink("/proc/%d/fd/0" % pid) in pipes and
                "pipe_read" in proc(pid, "wchan")]

    s.wait("bats reads the results", lambda: len(descendants(s.pid("victim"))) == 3 and len(readers()) == 1 and
           s.wchan("victim") == "do_wait")
    s.role("reader", readers()[0])
    s.role("formatter", [pid for pid in descendants(s.pid("victim")) if "bats-format" in proc(pid, "cmdline")][0])
    s.wait("the formatter runs cat", lambda: s.child("formatter", "cat"))
    s.role("cat", s.child("formatter", "cat"))
    s.during("bats reads the pipe that memcached has", lambda: readers() == [s.pid("reader")])
    s.during("no test is left", lambda: sorted(descendants(s.pid("victim"))) ==
             sorted(s.pid(role) for role in ("reader", "formatter", "cat")))
    s.during("bats waits for its reader", lambda: victim.poll() is None and s.wchan("victim") == "do_wait")
    s.during("memcached is idle", lambda: s.state("memcached") == "S" and s.syscall("memcached") == "epoll_wait")
    s.hang(victim="victim", culprits=["memcached"], causes=["slow-peer", "external", "timer", "missing-wakeup", "polling"],
           stuck=["reader", "formatter", "cat"], wrong=["bystander", "test"])
    yield
    os.kill(s.pid("memcached"), 15)
    s.ended("victim")
