# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for the web server of PHP. To make the page, this server asks itself for a part of the page. It has one
process, so nobody accepts this second request."""
HELD_OUT = False
NEEDS = {"php8.2": "php8.2-cli", "curl": "curl"}
PAGE = """<?php
if (isset($_GET['part']))
    die('part of ');
$way = stream_context_create(['http' => ['timeout' => %d]]);
if (isset($_GET['from']))
    echo @file_get_contents('http://127.0.0.1:' . $_GET['from'] . '/page.php?part=1', false, $way) ?: 'no part of ';
echo "page\\n";
"""


def play(s):
    ports = {"php": s.port(), "bystander": s.port()}
    with open(s.path("page.php"), "w", encoding="ascii") as f:
        f.write(PAGE % (s.seconds + 6))
    for name, port in ports.items():
        s.start(name, ["php8.2", "-n", "-S", "127.0.0.1:" + port, "-t", s.where])
        s.wait("the server listens", lambda port=port: s.connects(port))

    def curl(name, start=""):
        return ["curl", "-s", "http://127.0.0.1:%s/page.php%s" % (ports[name], start)]

    s.check("the short page comes", s.out(curl("php")) == "page")
    s.check("a part can come from another server", s.out(curl("php", "?from=" + ports["bystander"])) == "part of page")

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + ports["php"]]).split()[1])

    s.wait("nothing waits", lambda: unaccepted() == 0)

    s.begin()
    victim = s.start("victim", curl("php", "?from=" + ports["php"]))
    s.wait("a connection is not accepted", lambda: unaccepted() == 1)

    def own():
        """Whether the connection that is not accepted is from the server itself."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + ports["php"]]).splitlines()
        return sum("pid=%d," % s.pid("php") in row for row in rows) == 1

    s.during("the server has not accepted its own connection", lambda: unaccepted() == 1 and own())
    s.during("the server waits for an answer", lambda: s.state("php") == "S" and s.syscall("php") in ("poll", "ppoll"))
    s.during("curl waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.during("the other server answers", lambda: s.out(curl("bystander"), timeout=5) == "page")
    s.hang(victim="victim", culprits=["php"], causes=["circular-wait", "queueing"], wrong=["bystander", "test"])
    yield
    s.ended("victim")  # the server gives up
    s.check("the page has no part", s.output("victim") == "no part of page\n")
