# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for unicorn, whose two workers compute: each tries a regular expression on a name in which it can go back in
exponentially many ways."""
import os
import signal

from scene import children, proc

HELD_OUT = True
NEEDS = {"unicorn": "unicorn", "ruby": "ruby", "curl": "curl", "ss": "iproute2"}
SHOP = """
require 'uri'
shop = proc do |env|
  name = URI.decode_www_form_component(env['QUERY_STRING'])
  good = name =~ /\\A([a-z]+[ .]?)+\\z/ ? 'good' : 'bad'
  [200, {'Content-Type' => 'text/plain'}, [good]]
end
run shop
"""
CONF = """
worker_processes 2
listen '127.0.0.1:%s', backlog: 64
timeout 300
"""


def play(s):
    ports = {"unicorn": s.port(), "bystander": s.port()}
    with open(s.path("config.ru"), "w", encoding="ascii") as f:
        f.write(SHOP)
    for name, port in ports.items():
        with open(s.path(name + ".rb"), "w", encoding="ascii") as f:
            f.write(CONF % port)
        s.start(name, ["unicorn", "-N", "-c", s.path(name + ".rb"), "config.ru"])
        s.wait("two workers are ready", lambda name=name: s.output(name).count("ready") >= 3, 20)

    def ask(server, name):
        return ["curl", "-s", "--noproxy", "*", "-m", "60", "http://127.0.0.1:%s/?%s" % (ports[server], name)]

    for server in ports:
        s.check("unicorn answers", s.out(ask(server, "anna")) == "good" and s.out(ask(server, "anna%21")) == "bad")
    workers = sorted(children(s.pid("unicorn")))
    s.check("unicorn has two workers", len(workers) == 2)
    for i, pid in enumerate(workers):
        s.role("worker%d" % i, pid)
    for pid in children(s.pid("bystander")):
        s.role("bystander_worker%d" % len([r for r in s.roles if r.startswith("bystander_worker")]), pid)

    def computing():
        return [i for i in (0, 1) if s.state("worker%d" % i) == "R"]

    for i in 0, 1:
        s.start("evil%d" % i, ask("unicorn", "a" * 60 + "%21"))
        s.wait("a worker computes", lambda i=i: len(computing()) == i + 1)

    s.begin()
    victim = s.start("victim", ask("unicorn", "bert"))

    def waiting():
        return int(s.out(["ss", "-ltnH", "sport = :" + ports["unicorn"]]).split()[1])

    s.wait("the connection waits", lambda: waiting() == 1)
    s.during("both workers compute", lambda: len(computing()) == 2 and all(s.uses_cpu("worker%d" % i, 0.1) for i in (0, 1)))
    s.during("no worker has accepted the connection", lambda: waiting() == 1 and victim.poll() is None)
    s.during("unicorn has the same workers", lambda: sorted(children(s.pid("unicorn"))) == workers and
             all(proc(pid, "comm").strip() for pid in workers))
    s.during("the other unicorn answers", lambda: s.out(ask("bystander", "carl"), timeout=10) == "good")
    s.hang(victim="victim", culprits=["worker0", "worker1"], causes=["busy", "queueing"],
           wrong=["unicorn", "evil0", "evil1", *(r for r in s.roles if r.startswith("bystander")), "test"])
    yield
    for pid in workers:
        os.kill(pid, signal.SIGKILL)  # as unicorn does itself after its timeout
    s.ended("victim")
    s.check("the answer came", s.output("victim") == "good")
