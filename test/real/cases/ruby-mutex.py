# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a thread of a Ruby server. The thread waits for a Mutex, whose owner waits for a
sha256sum that computes."""
from scene import children, proc

HELD_OUT = False
NEEDS = {"ruby": "ruby", "sha256sum": "coreutils", "curl": "curl"}

SHOP = """
require 'socket'
BOOK = Mutex.new
def checksum(file) = IO.popen(['sha256sum', file], &:read)
def row(t) = "#{t.name} #{t.native_thread_id} #{BOOK.locked?} #{t.backtrace.first(3)}"
server = TCPServer.new('127.0.0.1', ARGV[0].to_i)
loop do
  Thread.new(server.accept) do |c|
    page = c.gets.to_s[/\\/(\\w*)/, 1]
    Thread.current.name = page
    nil until c.gets.to_s.strip.empty?
    said = case page
           when 'backup' then BOOK.synchronize { checksum('book') }
           when 'media' then checksum('media')
           when 'order' then BOOK.synchronize { 'ordered' }
           when 'threads' then Thread.list.map { |t| row(t) }.join("\\n")
           else 'hello'
           end
    c.write("HTTP/1.0 200 OK\\r\\n\\r\\n" + said)
    c.close
  end
end
"""


def play(s):
    port = s.port()
    with open(s.path("shop.rb"), "w", encoding="ascii") as f:
        f.write(SHOP)
    for name in "book", "media":
        with open(s.path(name), "wb") as f:
            f.truncate(1 << 40)  # a sparse file: sha256sum would compute for an hour
    s.start("shop", ["ruby", "shop.rb", port])
    s.wait("the server answers", lambda: s.connects(port))

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, page)]

    def thread(page):
        """The row of a thread: its name, its tid, whether the mutex is locked, and its stack."""
        return next(r.split(" ", 3) for r in s.out(curl("threads"), timeout=5).splitlines() if r.startswith(page + " "))

    def sums():
        found = {}
        for pid in children(s.pid("shop")):
            words = proc(pid, "cmdline").split("\0")
            if words[0] == "sha256sum":
                found[words[1]] = pid
        return found

    s.check("the mutex is free", s.out(curl("order")) == "ordered")
    s.start("media", curl("media"))
    s.wait("the first checksum computes", lambda: "media" in sums())
    s.role("media_sum", sums()["media"])
    s.role("media_thread", s.pid("shop"), int(thread("media")[1]))

    s.begin()
    backup = s.start("backup", curl("backup"))
    s.wait("the second checksum computes", lambda: "book" in sums())
    s.role("book_sum", sums()["book"])
    s.role("owner", s.pid("shop"), int(thread("backup")[1]))
    victim = s.start("victim", curl("order"))
    s.wait("a thread waits for the mutex", lambda: "synchronize" in thread("order")[3])
    s.role("thread", s.pid("shop"), int(thread("order")[1]))
    s.during("the thread waits for the mutex, which is locked",
             lambda: "synchronize" in thread("order")[3].split(",")[0] and thread("order")[2] == "true")
    s.during("the owner reads from sha256sum", lambda: "checksum" in thread("backup")[3])
    s.during("sha256sum computes", lambda: s.uses_cpu("book_sum", 0.2))
    s.during("both clients wait", lambda: victim.poll() is None and backup.poll() is None and s.state("victim") == "S")
    s.during("the server answers others", lambda: s.out(curl("hello"), timeout=5) == "hello")
    s.hang(victim="victim", culprits=["book_sum"], causes=["busy"], vague=["owner"], stuck=["thread"],
           wrong=["media", "media_sum", "media_thread", "backup", "test"])
    yield
    for name in "book", "media":
        with open(s.path(name), "wb") as f:
            f.truncate(0)
    s.ended("victim")
    s.ended("backup")
    s.check("the order came through", s.output("victim") == "ordered")
