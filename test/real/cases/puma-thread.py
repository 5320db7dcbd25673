# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for the only thread of puma. This thread waits for the answer of a memcached that SIGSTOP has stopped."""
import signal

HELD_OUT = False
NEEDS = {"puma": "puma", "memcached": "memcached", "curl": "curl"}

SHOP = """
require 'socket'
shop = proc do |env|
  said = "hello"
  if port = env['PATH_INFO'][/^\\/stock\\/(\\d+)/, 1]
    cache = TCPSocket.new('127.0.0.1', port.to_i)
    cache.write("get stock\\r\\n")
    said = cache.gets.strip
    cache.close
  end
  [200, {'Content-Type' => 'text/plain'}, [said]]
end
run shop
"""


def play(s):
    ports = {name: s.port() for name in ("puma", "cache", "bystander")}
    with open(s.path("config.ru"), "w", encoding="ascii") as f:
        f.write(SHOP)
    for name in "cache", "bystander":
        s.start(name, ["memcached", "-u", "root", "-l", "127.0.0.1", "-p", ports[name], "-t", "1"])
        s.wait("%s answers" % name, lambda name=name: s.connects(ports[name]))
    s.start("puma", ["puma", "-t", "1:1", "-b", "tcp://127.0.0.1:" + ports["puma"], "-e", "production", "config.ru"])
    s.wait("puma listens", lambda: s.connects(ports["puma"]))

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (ports["puma"], page)]

    for name in "cache", "bystander":
        s.check("puma asks %s" % name, s.out(curl("stock/" + ports[name])) == "END")
    tids = s.threads("puma", "puma srv tp 001")
    s.check("puma has one thread for requests", len(tids) == 1)
    s.role("thread", s.pid("puma"), tids[0])

    def unread():
        return sum(int(line.split()[0]) for line in
                   s.out(["ss", "-tnH", "state", "established", "sport = :" + ports["cache"]]).splitlines())

    s.processes["cache"][0].send_signal(signal.SIGSTOP)
    s.wait("memcached stops", lambda: s.state("cache") == "T")
    first = s.start("first", curl("stock/" + ports["cache"]))
    s.wait("memcached has a question that it has not read", lambda: unread() > 0)

    s.begin()
    victim = s.start("victim", curl("hello"))
    s.wait("the victim is connected", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("memcached is stopped, and has not read the question", lambda: s.state("cache") == "T" and unread() > 0)
    s.during("the thread waits", lambda: s.state("thread") == "S" and
             s.syscall("thread") in ("poll", "ppoll", "recvfrom", "read"))
    s.during("puma has no other thread for requests", lambda: s.threads("puma", "puma srv tp 001") == tids and
             not s.threads("puma", "puma srv tp 002"))
    s.during("both clients wait", lambda: victim.poll() is None and first.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["cache", "test"], causes=["stopped"], vague=["thread", "puma"],
           wrong=["bystander", "first"])
    yield
    s.processes["cache"][0].send_signal(signal.SIGCONT)
    s.ended("first")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "hello")
