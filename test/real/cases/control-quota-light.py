# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a Ruby program counts parcels twice a second. The CPU quota of its control group is 50 %. It needs far less, so that
it is not throttled."""
import os
import time

from lib import in_cgroup
from scene import proc, set_quota, throttled

HELD_OUT = False
NEEDS = {"ruby": "ruby"}
DESK = """
$stdout.sync = true
parcels = Queue.new
clerk = Thread.new do
  n = 0
  while parcel = parcels.pop
    n += 1
    puts "counted #{n} #{(1..parcel).sum { |i| i * i % 7 }}"
  end
end
Thread.new { loop { sleep 0.5; parcels << 20000 } }
$stdin.gets
parcels << nil
clerk.join
puts 'closed'
"""


def play(s):
    group, old = s.control_group("cpu", "quota-light")
    set_quota(group, old, 50000)
    with open(s.path("desk.rb"), "w", encoding="ascii") as f:
        f.write(DESK)
    desk = s.start("desk", in_cgroup(group, ["ruby", "desk.rb"]), talk=True)

    def counted():
        return s.output("desk").count("counted ")

    s.wait("the desk counts", lambda: counted() >= 3, 20)
    clerks = s.threads("desk", "desk.rb:4")
    s.check("the clerk has a thread", len(clerks) == 1)
    s.role("clerk", desk.pid, clerks[0])
    time.sleep(0.5)
    before = throttled(group)

    s.begin()
    began = counted()

    def goes_on():
        n = counted()
        s.wait("one more parcel is counted", lambda: counted() > n, 2)
        return True

    s.during("parcels are counted", goes_on)
    s.during("the desk is in the control group, and was not throttled", lambda: throttled(group) <= before + 1 and
             os.path.basename(group) + "\n" in proc(desk.pid, "cgroup"))
    s.during("the desk uses little CPU", lambda: not s.uses_cpu("clerk", 0.15, 1))
    s.normal(victim="clerk", causes=["timer", "external"])
    yield
    s.check("at least one parcel was counted each second", counted() - began >= s.seconds)
    s.say("desk", "close")
    s.ended("desk")
    s.check("the desk is closed", s.output("desk").endswith("closed\n"))
