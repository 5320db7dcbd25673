# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a perl takes letters from a channel of a Tarantool server, as another perl sends them: one every 0.3 s. A
third perl waits for letters of a channel that has none."""
import os

HELD_OUT = False
NEEDS = {"tarantool": "tarantool", "perl": "perl"}
INIT = """
box.cfg{wal_mode = 'none', log_level = 2, memtx_memory = 64 * 1024 * 1024}
local fiber = require('fiber')
local channels = {}
require('socket').tcp_server('127.0.0.1', tonumber(arg[1]), function(c)
    while true do
        local line = c:read('\\n')
        if not line or line == '' then return end
        local what, name, text = line:match('(%a+) (%a+) ?(.*)\\n')
        local channel = channels[name] or fiber.channel(100)
        channels[name] = channel
        if what == 'send' then
            channel:put(text)
            c:write('sent\\n')
        else
            c:write('letter ' .. channel:get() .. '\\n')
        end
    end
end)
print('ready')
io.flush()
"""
CLIENT = """
use IO::Socket::INET;
$| = 1;
my ($port, $what, $name) = @ARGV;
my $c = IO::Socket::INET->new("127.0.0.1:$port") or die;
for (my $n = 1; ; $n++) {
    print $c $what eq "send" ? "send $name $n\\n" : "take $name\\n";
    $c->flush;
    print scalar <$c>;
    select(undef, undef, undef, 0.3) if $what eq "send";
}
"""


def play(s):
    port = s.port()
    for name, text in ("init.lua", INIT), ("client.pl", CLIENT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("server", ["tarantool", "init.lua", port], env={**os.environ, "HOME": s.where})
    s.wait("the server listens", lambda: "ready" in s.output("server") and s.connects(port), 20)
    for role, what, name in ("taker", "take", "letters"), ("idler", "take", "bills"), ("sender", "send", "letters"):
        s.start(role, ["perl", "client.pl", port, what, name])

    def letters():
        return s.output("taker").count("letter ")

    s.wait("the first letters come", lambda: letters() > 1)

    s.begin()

    def goes_on():
        n = letters()
        s.wait("a letter comes", lambda: letters() > n, 3)
        return s.state("taker") in "SR"

    s.during("letters come", goes_on)
    s.during("nobody sends bills", lambda: s.output("idler") == "")
    s.during("the taker uses almost no CPU", lambda: not s.uses_cpu("taker", 0.1))
    s.normal(victim="taker", causes=["timer", "external"])
    yield
    n = letters()
    s.went_on("more letters come", lambda: letters() > n + 1)
    s.check("a letter came about every 0.3 s", n >= 2 * s.seconds)
