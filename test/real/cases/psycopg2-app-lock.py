# SPDX-License-Identifier: GPL-2.0-or-later
"""Two threads of a Python program wait for each other. The seller has the row of a PostgreSQL table, and waits for a lock
of the program. The repricer has this lock, and waits for the row. PostgreSQL cannot see the lock of the program."""
import importlib.util

from scene import Missing, Postgres

HELD_OUT = False
NEEDS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client", "python3": "python3"}
SHOP = """
import queue, sys, threading
import psycopg2
prices, row_taken, lock_taken, letters = threading.Lock(), threading.Event(), threading.Event(), queue.Queue()

def connect(name):
    return psycopg2.connect(host=sys.argv[1], user="postgres", dbname="postgres", application_name=name)

def say(*words):
    sys.stdout.write(" ".join(map(str, words)) + "\\n")
    sys.stdout.flush()

def sell(db):
    say("seller", threading.get_native_id())
    with db.cursor() as row:
        row.execute("update stock set n = n - 1 where id = 5")
        row_taken.set()
        lock_taken.wait()
        with prices:
            say("sold")
    db.commit()

def reprice(db):
    say("repricer", threading.get_native_id())
    with prices:
        lock_taken.set()
        row_taken.wait()
        with db.cursor() as row:
            try:
                row.execute("update stock set price = 7 where id = 5")
                db.commit()
            except psycopg2.Error as e:
                db.rollback()
                say("failed", type(e).__name__)

def mail():
    say("mailer", threading.get_native_id())
    letters.get()

threads = [threading.Thread(target=f, args=(connect(name),)) for f, name in ((sell, "seller"), (reprice, "repricer"))]
threading.Thread(target=mail, daemon=True).start()
say("ready")
sys.stdin.readline()
for t in threads:
    t.start()
for t in threads:
    t.join()
"""


def play(s):
    if not importlib.util.find_spec("psycopg2"):
        raise Missing("no psycopg2 here (package python3-psycopg2)")
    base = Postgres(s)
    base.query("create table stock (id int primary key, n int, price int)")
    base.query("insert into stock values (5, 10, 9)")
    with open(s.path("shop.py"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.start("shop", ["/usr/bin/python3", "shop.py", base.where], talk=True)
    s.wait("the program is ready", lambda: "ready\n" in s.output("shop"))
    for name in "seller", "repricer":
        base.backend(name + "_backend", name)

    def thread(name):
        found = [line.split()[1] for line in s.output("shop").splitlines() if line.startswith(name + " ")]
        return int(found[0])

    s.wait("the mailer waits", lambda: thread("mailer"))
    s.role("mailer", s.pid("shop"), thread("mailer"))

    s.begin()
    s.say("shop", "open")
    for name in "seller", "repricer":
        s.wait("%s is there" % name, lambda name=name: thread(name))
        s.role(name, s.pid("shop"), thread(name))
    blockers = "select pg_blocking_pids(%d)" % s.pid("repricer_backend")
    s.wait("the seller's row blocks the repricer", lambda: base.query(blockers) == "{%d}" % s.pid("seller_backend"))
    s.wait("the seller waits for the lock", lambda: s.syscall("seller") == "futex")
    s.during("the seller's row blocks the repricer", lambda: base.query(blockers) == "{%d}" % s.pid("seller_backend"))
    s.during("the repricer waits for its backend", lambda: s.syscall("repricer") in ("poll", "ppoll", "epoll_wait"))
    s.during("the seller waits for the lock", lambda: s.syscall("seller") == "futex" and "sold" not in s.output("shop"))
    s.during("the seller is idle in its transaction", lambda: base.query(
        "select state from pg_stat_activity where pid = %d" % s.pid("seller_backend")) == "idle in transaction")
    s.hang(victim="seller", culprits=["repricer", "seller"], causes=["circular-wait", "lock-holder"],
           vague=["repricer_backend", "seller_backend"], wrong=["mailer", "shop", "postgres", "test"])
    yield
    base.query("select pg_cancel_backend(%d)" % s.pid("repricer_backend"))
    s.went_on("the seller has the lock", lambda: "sold" in s.output("shop"))
    s.ended("shop")
    s.check("the repricer gave up", "failed QueryCanceled" in s.output("shop"))
    s.check("the parcel is sold", base.query("select n, price from stock") == "9|9")
