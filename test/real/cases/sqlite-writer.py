# SPDX-License-Identifier: GPL-2.0-or-later
"""sqlite3 tries again and again to get the write lock of a database. Another sqlite3, idle in its
transaction, has the lock."""
HELD_OUT = False
NEEDS = {"sqlite3": "sqlite3"}


def play(s):
    base, other = s.path("shop.db"), s.path("other.db")
    for path in base, other:
        s.out(["sqlite3", path, "create table stock (n); insert into stock values (10);"])
    for name, path in ("bystander", other), ("writer", base):
        s.start(name, ["sqlite3", path], talk=True)
        s.say(name, "begin immediate; update stock set n = n - 1;")
        s.wait("%s has its lock" % name, lambda name=name, path=path: s.pid(name) in s.locks(path)["owners"])

    s.begin()
    victim = s.start("victim", ["sqlite3", "-cmd", ".timeout 60000", base, "update stock set n = n - 2;"])
    s.wait("the victim waits", lambda: s.syscall("victim") == "clock_nanosleep")
    # In each try, the victim owns a lock of another kind for a moment.
    s.during("the idle writer has the lock", lambda: s.pid("writer") in s.locks(base)["owners"] and
             set(s.locks(base)["owners"]) <= {s.pid("writer"), victim.pid})
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the writer waits for input", lambda: s.syscall("writer") == "read")
    s.hang(victim="victim", culprits=["writer", "test"], causes=["lock-holder", "external"], wrong=["bystander"])
    yield
    s.say("writer", "commit;")
    s.ended("victim")
    s.check("both updates are there", s.out(["sqlite3", base, "select n from stock"]) == "7")
