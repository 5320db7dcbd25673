# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a thread of a Ruby server (WEBrick), which waits for the only connection to Redis of a ConnectionPool. Another
thread of the server has this connection: it waits in BLPOP for jobs, on purpose and without end."""
import subprocess

from scene import Missing

HELD_OUT = False
NEEDS = {"ruby": "ruby", "redis-server": "redis-server", "redis-cli": "redis-tools", "curl": "curl"}
RUBY = "/usr/bin/ruby"
SHOP = """
require 'webrick'
require 'redis'
require 'connection_pool'
REDIS = ConnectionPool.new(size: 1, timeout: 600) { Redis.new(host: '127.0.0.1', port: ARGV[1].to_i, timeout: 600) }
def row(t) = "#{t.name || '-'} #{t.native_thread_id} #{t.backtrace.to_a.join(' ')}"
def name(word) = Thread.current.name = word
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ARGV[0].to_i, AccessLog: [])
server.mount_proc('/stock') { |_, answer| name('desk'); answer.body = REDIS.with { |r| r.get('stock') } }
server.mount_proc('/hello') { |_, answer| answer.body = 'hello' }
server.mount_proc('/threads') { |_, answer| name('spy'); answer.body = Thread.list.map { |t| row(t) }.join("\\n") }
server.mount_proc('/consume') do |_, answer|
  Thread.new do
    name('consumer')
    REDIS.with { |r| loop { puts "job #{r.blpop('jobs', timeout: 0)[1]}"; break if File.exist?('drain') } }
  end
  answer.body = 'consumes'
end
$stdout.sync = true
server.start
"""


def play(s):
    if subprocess.run([RUBY, "-e", "require 'webrick'; require 'redis'; require 'connection_pool'"],
                      stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the packages ruby-webrick, ruby-redis and ruby-connection-pool")
    port, redis = s.port(), s.port()
    with open(s.path("shop.rb"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.start("redis", ["redis-server", "--bind", "127.0.0.1", "--port", redis, "--save", "", "--dir", s.where])
    s.wait("redis answers", lambda: s.connects(redis))

    def ask(*words):
        return s.out(["redis-cli", "-p", redis, *words], timeout=10)

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("the stock is there", ask("set", "stock", "17") == "OK")
    s.start("shop", [RUBY, "shop.rb", port, redis])
    s.wait("the server answers", lambda: s.connects(port), 20)
    s.check("the pool works", s.out(get("stock")) == "17")
    s.check("the consumer starts", s.out(get("consume")) == "consumes")
    s.check("a job comes", ask("rpush", "jobs", "letter") == "1")
    s.wait("the consumer does the job", lambda: "job letter" in s.output("shop"))

    def thread(name):
        """(the tid, the stack) of a thread of the server."""
        row = [r for r in s.out(get("threads"), timeout=5).splitlines() if r.startswith(name + " ")][0]
        return int(row.split()[1]), row

    s.role("consumer", s.pid("shop"), thread("consumer")[0])

    s.begin()
    victim = s.start("victim", get("stock"))
    s.wait("a thread waits for the pool", lambda: "connection_pool/timed_stack" in thread("desk")[1])
    s.role("desk", s.pid("shop"), thread("desk")[0])
    s.during("the thread waits for the pool", lambda: "connection_pool/timed_stack" in thread("desk")[1] and
             s.syscall("desk") == "futex")
    s.during("the consumer has the connection, and waits in BLPOP", lambda: "blpop" in thread("consumer")[1] and
             "connection_pool" in thread("consumer")[1] and ask("client", "list").count("cmd=blpop") == 1)
    s.during("redis is idle, and answers others", lambda: not s.uses_cpu("redis", 0.3, 0.3) and ask("get", "stock") == "17")
    s.during("the server has one connection to redis",
             lambda: s.out(["ss", "-tnpH", "state", "established", "dport = :" + redis]).count('"ruby') == 1)
    s.during("the server answers others", lambda: s.out(get("hello"), timeout=5) == "hello")
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["consumer"], causes=["lock-holder", "queueing", "slow-peer", "external"],
           vague=["shop"], stuck=["desk"], wrong=["redis", "test"])
    yield
    with open(s.path("drain"), "w", encoding="ascii"):
        pass
    ask("rpush", "jobs", "parcel")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "17")
