# SPDX-License-Identifier: GPL-2.0-or-later
"""A perl waits for a Tarantool server that shall insert a row. The server's thread "wal" writes its log to a slow disk."""
import os

HELD_OUT = True
NEEDS = {"tarantool": "tarantool", "perl": "perl", "losetup": "mount", "mkfs.ext2": "e2fsprogs"}
INIT = """
box.cfg{wal_dir = 'disk/wal', memtx_dir = '.', vinyl_dir = '.', wal_mode = 'fsync', log_level = 2,
    memtx_memory = 64 * 1024 * 1024}
local digest = require('digest')
local stock = box.schema.space.create('stock')
stock:create_index('primary')
require('socket').tcp_server('127.0.0.1', tonumber(arg[1]), function(c)
    while true do
        local line = c:read('\\n')
        if not line or line == '' then return end
        local n = tonumber(line:match('put (%d+)'))
        if n then
            stock:replace{n, digest.urandom(100 * 1000)}
        end
        c:write('done ' .. line)
    end
end)
print('ready')
io.flush()
"""
CLIENT = """
use IO::Socket::INET;
$| = 1;
my $c = IO::Socket::INET->new("127.0.0.1:$ARGV[0]") or die;
while (<STDIN>) {
    print $c $_;
    $c->flush;
    print scalar <$c>;
}
"""


def play(s):
    port = s.port()
    disk, _loop, limit = s.slow_disk(64)
    os.mkdir(os.path.join(disk, "wal"))
    for name, text in ("init.lua", INIT), ("client.pl", CLIENT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("server", ["tarantool", "init.lua", port], env={**os.environ, "HOME": s.where})
    s.wait("the server listens", lambda: "ready" in s.output("server") and s.connects(port), 20)
    s.wait("the thread for the log is there", lambda: s.threads("server", "wal"))
    s.role("wal", s.pid("server"), s.threads("server", "wal")[0])
    for role in "victim", "bystander":
        s.start(role, ["perl", "client.pl", port], talk=True)
        s.check("the server answers", s.ask(role, "put 1") == "done put 1")

    s.begin()
    limit(4096)
    s.say("victim", "put 2")
    s.wait("the thread waits for the disk", lambda: s.state("wal") == "D")
    s.during("the thread waits for the disk", lambda: s.state("wal") == "D" and
             s.syscall("wal") in ("fdatasync", "fsync", "write", "pwrite64", "18", "20", "writev"))
    s.during("the server answers others", lambda: s.ask("bystander", "hello") == "done hello")
    s.during("the victim waits", lambda: s.state("victim") == "S" and s.output("victim") == "done put 1\n")
    s.hang(victim="victim", culprits=["wal"], causes=["disk"], vague=["server"], wrong=["bystander"])
    yield
    limit(0)
    s.went_on("the row is there", lambda: s.output("victim").endswith("done put 2\n"))
    s.check("the server still answers", s.ask("bystander", "hello") == "done hello")
