# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: two Python programs write orders into a database, and a third one reads it. Each query is quick."""
HELD_OUT = False
NEEDS = {"python3": "python3"}

SHOP = """
import sqlite3, sys, time
base = sqlite3.connect("shop.db", timeout=10, isolation_level=None)
base.execute("pragma journal_mode=wal")
base.execute("pragma synchronous=off")
base.execute("create table if not exists orders (id integer primary key, n int)")
worst = 0
while True:
    began = time.monotonic()
    if sys.argv[1] == "write":
        base.execute("begin immediate")
        base.execute("insert into orders (n) values (17)")
        base.execute("commit")
    n = base.execute("select count(*) from orders").fetchone()[0]
    worst = max(worst, time.monotonic() - began)
    print(n, int(worst * 1000), flush=True)
    time.sleep(0.1)
"""


def play(s):
    with open(s.path("shop.py"), "w", encoding="ascii") as f:
        f.write(SHOP)
    for name in "writer", "other", "reader":
        s.start(name, ["/usr/bin/python3", "shop.py", "read" if name == "reader" else "write"])
        s.wait("%s works" % name, lambda name=name: s.output(name).count("\n") > 1)

    def lines():
        return s.output("reader").split("\n")[:-1]

    s.begin()

    def goes_on():
        n = int(lines()[-1].split()[0])
        s.wait("orders come", lambda: int(lines()[-1].split()[0]) > n, 2)
        return True

    s.during("the reader sees new orders", goes_on)
    s.during("the reader is almost idle", lambda: not s.uses_cpu("reader", 0.3))
    s.normal(victim="reader", causes=["timer"])
    yield
    n = len(lines())
    s.went_on("the reader goes on", lambda: len(lines()) > n + 3)
    s.check("no query took half a second", all(int(s.output(x).split("\n")[-2].split()[1]) < 500
                                               for x in ("writer", "other", "reader")))
    s.check("the reader read about every 0.1 s", n >= 5 * s.seconds)
