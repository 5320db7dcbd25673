# SPDX-License-Identifier: GPL-2.0-or-later
"""curl gets many pages, one after the other. No page takes a second, but php computes for each, and curl mostly waits."""
HELD_OUT = False
NEEDS = {"php": "php-cli", "curl": "curl"}
PAGES, PAGE_MS = 50, 150

SHOP = """<?php
if (preg_match('{^/stock/(\\d+)}', $_SERVER['REQUEST_URI'], $found)) {
    $end = hrtime(true) + $found[1] * 1000000;
    for ($x = 1; hrtime(true) < $end; )
        for ($i = 0; $i < 1000; $i++)
            $x = ($x * 1103515245 + 12345) % 2147483648;
    echo "stock\\n";
} else
    echo "hello\\n";
"""


def play(s):
    ports = {"php": s.port(), "bystander": s.port()}
    with open(s.path("shop.php"), "w", encoding="ascii") as f:
        f.write(SHOP)
    for name, port in ports.items():
        s.start(name, ["php", "-S", "127.0.0.1:" + port, "shop.php"])
        s.wait("%s answers" % name, lambda port=port: s.connects(port))

    def url(name, page):
        return "http://127.0.0.1:%s/%s" % (ports[name], page)

    s.check("php answers", s.out(["curl", "-s", url("php", "hello")]) == "hello")

    s.begin()
    victim = s.start("victim", ["curl", "-s", "-w", "%{time_total}\\n", url("php", "stock/%d?[1-%d]" % (PAGE_MS, PAGES))])

    def times():
        """The seconds of each page."""
        return [float(line) for line in s.output("victim").splitlines(keepends=True)
                if line != "stock\n" and line.endswith("\n")]

    s.wait("two pages came", lambda: len(times()) > 1)
    seen = [1]

    def goes_on():
        before, seen[0] = seen[0], len(times())
        return seen[0] > before

    s.wait("a third page came", lambda: len(times()) > 2)
    s.during("more pages came", lambda: goes_on() or s.wait("one more page", goes_on, 2) is None)
    s.during("each page is slow, but no page takes a second", lambda: all(0.1 < t < 1 for t in times()))
    s.during("php computes", lambda: s.uses_cpu("php", 0.3))
    s.during("curl computes nothing, and still wants pages", lambda: victim.poll() is None and not s.uses_cpu("victim", 0.1))
    s.hang(victim="victim", culprits=["php"], causes=["busy"], wrong=["bystander", "test"])
    yield
    s.ended("victim")
    s.check("all pages came", len(times()) == PAGES)
