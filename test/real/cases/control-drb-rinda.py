# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a Ruby worker takes jobs out of a tuple space (Rinda over DRb). A job comes every 0.3 s, and is done at once."""
HELD_OUT = False
NEEDS = {"ruby": "ruby"}
SPACE = """
require 'drb'
require 'rinda/tuplespace'
$stdout.sync = true
DRb.start_service('drbunix:space', Rinda::TupleSpace.new)
puts 'ready'
DRb.thread.join
"""
WORKER = """
require 'drb'
require 'rinda/rinda'
$stdout.sync = true
DRb.start_service
space = Rinda::TupleSpaceProxy.new(DRbObject.new_with_uri('drbunix:space'))
puts 'waits'
loop do
  _, n = space.take([ARGV[0], Integer])
  puts "done #{n * 2}"
end
"""
SHOP = """
require 'drb'
require 'rinda/rinda'
$stdout.sync = true
DRb.start_service
space = DRbObject.new_with_uri('drbunix:space')
n = 0
loop do
  space.write([ARGV[0], n += 1])
  puts "job #{n}"
  sleep 0.3
end
"""


def play(s):
    for name, text in ("space.rb", SPACE), ("worker.rb", WORKER), ("shop.rb", SHOP):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("space", ["ruby", "space.rb"])
    s.wait("the tuple space is ready", lambda: "ready" in s.output("space"), 20)
    for name, subject in ("worker", "parcels"), ("idle", "letters"):
        s.start(name, ["ruby", "worker.rb", subject])
        s.wait("%s waits" % name, lambda name=name: "waits" in s.output(name), 20)

    s.begin()
    s.start("shop", ["ruby", "shop.rb", "parcels"])

    def done():
        return s.output("worker").count("done")

    def goes_on():
        n = done()
        s.wait("a job is done", lambda: done() > n, 3)
        return True

    s.wait("the first job is done", lambda: done() > 0, 20)
    s.during("jobs are done", goes_on)
    s.during("the worker mostly waits", lambda: not s.uses_cpu("worker", 0.4))
    s.during("the other worker has no job", lambda: "done" not in s.output("idle"))
    s.normal(victim="worker", causes=["timer", "external"])
    yield
    n = done()
    s.went_on("more jobs are done", lambda: done() > n)
    s.check("no job waits for long", s.output("shop").count("job") - done() < 3)
