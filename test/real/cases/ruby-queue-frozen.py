# SPDX-License-Identifier: GPL-2.0-or-later
"""A Ruby thread waits for a SizedQueue. The thread that fills it reads from an xzcat in a frozen control group (version 1)."""
import os
import re
import struct

from lib import in_cgroup
from scene import Missing, proc

HELD_OUT = False
NEEDS = {"ruby": "ruby", "xz": "xz-utils"}
LINES = 400000

PRICES = """
$stdout.sync = true
prices, idle = SizedQueue.new(10), Queue.new
Thread.new { idle.pop }
reader = Thread.new do
  File.open("pipe") { |pipe| pipe.each_line { |line| prices << line } }
  prices << nil
end
puts "first #{prices.pop}"
STDIN.gets
n = 1
while prices.pop
  n += 1
end
puts "lines #{n}"
"""


def play(s):
    group = "/sys/fs/cgroup/freezer/ctrace-test-ruby-queue"
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no freezer of version 1 here: %s" % e) from None
    s.callback(os.rmdir, group)
    state = os.path.join(group, "freezer.state")

    def freeze(to):
        with open(state, "w", encoding="ascii") as f:
            f.write(to)

    def frozen():
        with open(state, encoding="ascii") as f:
            return f.read() == "FROZEN\n"

    with open(s.path("prices.rb"), "w", encoding="ascii") as f:
        f.write(PRICES)
    with open(s.path("prices"), "w", encoding="ascii") as f:
        f.writelines("article %d costs %d\n" % (i, i * 7919 % 1000) for i in range(LINES))
    s.out(["xz", "-0", "prices"])
    s.out(["mkfifo", "pipe"])
    s.start("bystander", ["sh", "-c", "xzcat prices.xz | (read line; sleep 60)"])
    s.start("xzcat", in_cgroup(group, ["sh", "-c", "exec xz -dc -T1 prices.xz >pipe"]))
    victim = s.start("victim", ["ruby", "--disable-gems", "prices.rb"], talk=True)
    s.wait("the first price is there", lambda: "first article 0" in s.output("victim"))

    def pipe_of(role, fd):
        return os.readlink("/proc/%d/fd/%d" % (s.pid(role), fd))

    def reader():
        """The thread of ruby, other than the main thread, that waits in a read of a pipe, in poll or in ppoll."""
        return next((t for t in s.threads("victim") if t != victim.pid and
                     ("pipe_read" in proc(victim.pid, "wchan", t) or proc(victim.pid, "syscall", t).split()[0] in ("7", "271"))
                     and re.match(r"prices", proc(victim.pid, "comm", t))), None)

    def queues():
        """Whether the main thread waits for another thread: on a futex or, if it also looks after signals, in ppoll on ruby's
        own eventfd."""
        v = proc(victim.pid, "syscall").split()
        if v[0] != "271":
            return v[0] == "202"
        with open("/proc/%d/mem" % victim.pid, "rb") as f:
            f.seek(int(v[1], 16))
            fd = struct.unpack("i", f.read(4))[0]
        return int(v[2], 16) == 1 and "eventfd" in os.readlink("/proc/%d/fd/%d" % (victim.pid, fd))

    s.wait("xzcat waits for the pipe", lambda: proc(s.pid("xzcat"), "comm") == "xz\n" and s.state("xzcat") == "S" and
           pipe_of("xzcat", 1).endswith("/pipe"))

    s.begin()
    freeze("FROZEN")
    try:
        s.wait("the group is frozen", frozen)
        s.say("victim", "go")
        s.wait("the main thread waits for the queue", lambda: queues() and reader())
        s.role("reader", victim.pid, reader())
        s.during("the group of xzcat is frozen", lambda: frozen() and
                 "/ctrace-test-ruby-queue\n" in proc(s.pid("xzcat"), "cgroup"))
        s.during("xzcat gets no CPU", lambda: not s.uses_cpu("xzcat", 0.01, 0.2))
        s.during("the reader waits for the pipe", lambda: reader() == s.roles["reader"][1])
        s.during("the main thread waits", lambda: queues() and s.state("victim") == "S" and "lines" not in s.output("victim"))
        s.hang(victim="victim", culprits=["xzcat", "test"], causes=["stopped"], vague=["reader"], wrong=["bystander"])
        yield
    finally:
        freeze("THAWED")
    s.ended("victim")
    s.check("all prices came", "lines %d\n" % LINES in s.output("victim"))
