# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a node server. The server's agent has two connections to a price server, and both are lost: a handler has asked
for a price, and does not read the answer. So node keeps the connections for it, and the question of curl's request stays
in the agent's queue. The price server, in Perl, is idle."""
HELD_OUT = True
NEEDS = {"node": "nodejs", "curl": "curl", "perl": "perl"}
SHOP = """
const http = require('http');
const agent = new http.Agent({keepAlive: true, maxSockets: 2});
const lost = [];
function price(item, then) {
    http.get({agent, port: process.argv[2], host: '127.0.0.1', path: '/' + item}, then);
}
function count(lists) {
    return Object.values(lists).reduce((n, list) => n + list.length, 0);
}
http.createServer((ask, answer) => {
    if (ask.url === '/order')
        price('tea', got => { got.on('data', part => answer.write(part)); got.on('end', () => answer.end()); });
    else if (ask.url === '/check')  // The mistake: nothing reads the answer.
        price('rice', got => { lost.push(got); answer.end('status ' + got.statusCode); });
    else
        answer.end(count(agent.sockets) + ' used, ' + count(agent.freeSockets) + ' free, ' + count(agent.requests) + ' queued');
}).listen(process.argv[3], '127.0.0.1');
process.on('SIGUSR2', () => lost.forEach(got => got.resume()));
"""
# Serves each connection in a child of its own, and tells each question.
PRICES = r"""
use strict; use warnings; use IO::Socket::INET;
$| = 1; $SIG{CHLD} = 'IGNORE';
my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$ARGV[0]", Listen => 5, ReuseAddr => 1) or die $!;
while (1) {
    my $c = $server->accept or next;
    next if fork;
    while (defined(my $line = <$c>)) {
        print "asked $1\n" if $line =~ m{^GET /(\w+)};
        print $c "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nprice" if $line eq "\r\n";
    }
    exit;
}
"""


def play(s):
    port, prices = s.port(), s.port()
    for name, text in ("shop.js", SHOP), ("prices.pl", PRICES):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("prices", ["perl", "prices.pl", prices])
    s.wait("the price server listens", lambda: s.connects(prices))
    s.start("node", ["node", s.path("shop.js"), prices, port])
    s.wait("node listens", lambda: s.connects(port), 20)

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    def agent():
        return s.out(get("agent"), timeout=5)

    s.check("an order is made", s.out(get("order")) == "price")
    for i in range(2):
        s.check("a price is checked", s.out(get("check")) == "status 200")
        s.check("a connection is lost", agent().startswith("%d used" % (i + 1)))

    s.begin()
    victim = s.start("victim", get("order"))
    s.wait("the question is queued", lambda: agent() == "2 used, 0 free, 1 queued")
    s.look()

    def idle():
        """Whether node has asked the price server nothing since the begin, and all connections between them are quiet."""
        rows = s.out(["ss", "-tnH", "state", "established", "dport = :" + prices]).splitlines()
        return s.output("prices").count("asked tea") == 1 and len(rows) == 2

    s.during("the question is queued", lambda: agent() == "2 used, 0 free, 1 queued")
    s.during("nobody asks the price server", idle)
    s.during("node is idle", lambda: not s.uses_cpu("node", 0.3, 0.3))
    s.during("the price server answers others", lambda: s.out(
        ["curl", "-sS", "http://127.0.0.1:%s/tin" % prices], timeout=5) == "price")
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.hang(victim="victim", culprits=["node"], causes=["queueing", "missing-wakeup", "slow-peer", "external"],
           wrong=["prices", "test"])
    yield
    s.processes["node"][0].send_signal(12)  # SIGUSR2: the server reads the lost answers
    s.ended("victim")
    s.check("the order is made", s.output("victim") == "price")
