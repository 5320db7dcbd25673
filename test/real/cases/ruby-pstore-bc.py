# SPDX-License-Identifier: GPL-2.0-or-later
"""A Ruby program waits for the lock of a PStore file. Another Ruby program has it: in its transaction it waits for a
bc, which computes without an end."""
HELD_OUT = True
NEEDS = {"ruby": "ruby", "bc": "bc"}

TILL = """
require 'pstore'
$stdout.sync = true
till = PStore.new(ARGV[0])
if ARGV[1] == 'close'
  till.transaction do
    puts 'closes'
    till[:interest] = IO.popen(['bc', '-q', 'interest.bc'], &:read)
  end
  puts 'closed'
else
  sold = till.transaction { till[:sold] = till.fetch(:sold, 0) + 1 }
  puts "sold #{sold}"
end
"""
INTEREST = "x = 1\nwhile (1) { x = (x * 1.0000001) ; if (x > 2) x = 1 }\n"


def play(s):
    for name, text in ("till.rb", TILL), ("interest.bc", INTEREST):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.check("a till works", s.out(["ruby", "till.rb", "day", "sell"]) == "sold 1")
    # The bystander closes another till, whose bc has a low priority.
    s.start("bystander", ["nice", "-n", "19", "ruby", "till.rb", "other", "close"])
    owner = s.start("owner", ["ruby", "till.rb", "day", "close"])
    for name, calculator in ("owner", "bc"), ("bystander", "bc2"):
        s.wait("%s runs bc" % name, lambda name=name: s.child(name, "bc"))
        s.role(calculator, s.child(name, "bc"))
    s.wait("bc computes", lambda: s.uses_cpu("bc", 0.25))

    s.begin()
    victim = s.start("victim", ["ruby", "till.rb", "day", "sell"])
    s.wait("the victim waits for the lock", lambda: s.locks(s.path("day"))["waiters"] == [victim.pid])
    s.during("the owner has the lock, and the victim waits for it",
             lambda: s.locks(s.path("day")) == {"owners": [owner.pid], "waiters": [victim.pid]})
    s.during("the victim sleeps in flock", lambda: s.syscall("victim") == "flock" and s.output("victim") == "")
    s.during("the owner waits for bc", lambda: s.state("owner") == "S" and s.output("owner") == "closes\n" and
             s.child("owner", "bc") == s.pid("bc"))
    s.during("bc computes", lambda: s.uses_cpu("bc", 0.25))
    s.hang(victim="victim", culprits=["bc"], causes=["busy"], vague=["owner"], wrong=["bystander", "bc2", "test"])
    yield
    s.out(["kill", s.pid("bc")])
    s.ended("owner")
    s.ended("victim")
    s.check("the victim sold", s.output("victim") == "sold 2\n")
