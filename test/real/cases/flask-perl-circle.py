# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for orders, a Flask server without threads. It asks prices, a Perl server. To answer, prices asks orders
for the rebate. So the two servers wait for each other, until an operator tells prices to do without the rebate."""
import os
import signal
import subprocess

from scene import Missing

HELD_OUT = True
NEEDS = {"/usr/bin/flask": "python3-flask", "perl": "perl", "curl": "curl"}
ORDERS = """import os
import urllib.request
from flask import Flask
app = Flask("orders")
@app.route("/order")
def order():
    with urllib.request.urlopen("http://127.0.0.1:%s/price" % os.environ["PRICES"]) as r:
        return "order for " + r.read().decode()
@app.route("/rebate")
def rebate():
    return "5"
@app.route("/hello")
def hello():
    return "hello"
"""
PRICES = """use strict;
use HTTP::Daemon;
use LWP::UserAgent;
$| = 1;
my ($port, $orders) = @ARGV;
$SIG{USR1} = sub { die "the operator says no\\n" };
my $server = HTTP::Daemon->new(LocalAddr => '127.0.0.1', LocalPort => $port, ReuseAddr => 1) or die "no server: $!";
while (my $c = $server->accept) {
    while (my $r = $c->get_request) {
        my $rebate = LWP::UserAgent->new(timeout => 600)->get("http://127.0.0.1:$orders/rebate");
        my $price = 17 - ($rebate->is_success ? $rebate->decoded_content : 0);
        print "price $price\\n";
        my $headers = ['Content-Type' => 'text/plain', 'Connection' => 'close'];
        $c->send_response(HTTP::Response->new(200, 'OK', $headers, $price));
        $c->force_last_request;
    }
    $c->close;
}
"""


def play(s):
    if subprocess.run(["perl", "-MHTTP::Daemon", "-MLWP::UserAgent", "-e", "1"], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        raise Missing("needs the packages libhttp-daemon-perl and libwww-perl")
    orders, prices = s.port(), s.port()
    for name, text in ("orders.py", ORDERS), ("prices.pl", PRICES):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    s.start("prices", ["perl", "prices.pl", prices, orders], env=env)
    s.start("orders", ["/usr/bin/flask", "--app", "orders.py", "run", "--without-threads", "-p", orders],
            env={**env, "PRICES": prices})

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (orders, page)]

    def rows(state, port, side="sport"):
        return s.out(["ss", "-tnpH", "state", state, "%s = :%s" % (side, port)]).splitlines()

    def owned(role, found):
        return [r for r in found if "pid=%d," % s.pid(role) in r]

    s.wait("orders answers", lambda: s.connects(orders) and s.out(get("hello")) == "hello", 20)
    s.wait("prices listens", lambda: len(rows("listening", prices)) == 1)

    s.begin()
    victim = s.start("victim", get("order"))
    s.wait("prices has asked orders", lambda: len(owned("prices", rows("established", orders, "dport"))) == 1)
    s.during("orders waits for prices", lambda: len(owned("orders", rows("established", prices, "dport"))) == 1
             and s.state("orders") == "S" and s.syscall("orders") in ("recvfrom", "poll", "read"))
    s.during("prices waits for orders", lambda: len(owned("prices", rows("established", orders, "dport"))) == 1
             and s.state("prices") == "S" and s.syscall("prices") in ("select", "pselect6", "poll", "read"))
    s.during("orders has not accepted the connection of prices",
             lambda: int(rows("listening", orders)[0].split()[0]) == 1
             and len(owned("orders", rows("established", orders))) == 1)
    s.during("each has one thread", lambda: len(s.threads("orders")) == len(s.threads("prices")) == 1)
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["orders", "prices"], causes=["circular-wait"], wrong=["test"])
    yield
    os.kill(s.pid("prices"), signal.SIGUSR1)
    s.ended("victim")
    s.check("the order has the full price", s.output("victim") == "order for 17")
    s.wait("orders answers again", lambda: s.out(get("hello"), timeout=5) == "hello")
