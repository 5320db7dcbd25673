# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE waits in Firebird's lock manager (shared memory) for the transaction of another isql-fb. The other isql-fb waits
for its SHELL command, a tclsh that computes. A third isql-fb is idle in its transaction, with another table."""
import os
import re

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"isql-fb": "firebird3.0-utils", "fb_lock_print": "firebird3.0-server", "firebird": "firebird3.0-server",
         "tclsh": "tcl"}
PRICE = """
set x 1
while {![file exists enough]} {
    for {set i 0} {$i < 20000} {incr i} { set x [expr {($x * 7919 + $i) % 1000003}] }
}
"""


def play(s):
    for name, text in ("firebird.conf", "ServerMode = Classic\nRemoteServicePort = 0\n"), ("price.tcl", PRICE):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.mkdir(s.path("lock"))
    env = {**os.environ, "FIREBIRD": s.where, "FIREBIRD_LOCK": s.path("lock"), "FIREBIRD_TMP": s.where}
    base = s.path("shop.fdb")
    with open(s.path("make.sql"), "w", encoding="ascii") as f:
        f.write("create database '%s';\ncreate table stock (n int);\ncreate table letters (n int);\ncommit;\n"
                "insert into stock values (17);\ninsert into letters values (3);\ncommit;\n" % base)
    in_env = ["env", *("%s=%s" % (k, env[k]) for k in ("FIREBIRD", "FIREBIRD_LOCK", "FIREBIRD_TMP"))]
    s.out([*in_env, "isql-fb", "-q", "-b", "-i", s.path("make.sql")])

    def start(role):
        s.start(role, ["isql-fb", "-q", "-b", base], env=env, talk=True)

    def ask(role, sql, answer):
        s.say(role, sql)
        s.wait("%s has its answer" % role, lambda: re.search(r"^\s*%s\s*$" % answer, s.output(role), re.M))

    for role, sql, answer in ("bystander", "update letters set n = 4; select n from letters;", 4), \
            ("owner", "update stock set n = 16; select n from stock;", 16):
        start(role)
        ask(role, sql, answer)
    start("victim")
    ask("victim", "select n from stock; commit;", 17)

    def blocks():
        """{pid: whether this process waits for a lock} of the processes that use the database."""
        text = s.out([*in_env, "fb_lock_print", "-d", base, "-o"])
        return {int(m.group(1)): "Pending (" in m.group(2)
                for m in re.finditer(r"Process id: +(\d+)(.*?)(?=\nOWNER BLOCK|\Z)", text, re.S)}

    s.begin()
    s.say("owner", "shell tclsh price.tcl;")
    s.wait("tclsh runs", lambda: [p for p in descendants(s.pid("owner")) if proc(p, "comm") == "tclsh\n"])
    s.role("tclsh", next(p for p in descendants(s.pid("owner")) if proc(p, "comm") == "tclsh\n"))
    s.say("victim", "update stock set n = n + 100; commit;")
    waiters = {s.pid("owner"): False, s.pid("bystander"): False, s.pid("victim"): True}
    s.wait("the victim waits for a lock", lambda: blocks() == waiters)
    s.during("only the victim waits for a lock", lambda: blocks() == waiters)
    s.during("the victim waits", lambda: s.syscall("victim") == "futex" and s.state("victim") == "S")
    s.during("tclsh computes", lambda: s.state("tclsh") == "R")
    s.during("the owner waits for tclsh", lambda: s.syscall("owner") == "wait4" and
             s.pid("tclsh") in descendants(s.pid("owner")))
    s.during("the bystander is idle", lambda: s.syscall("bystander") == "read")
    s.hang(victim="victim", culprits=["tclsh"], causes=["busy", "lock-holder"], vague=["owner"], wrong=["bystander", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.say("owner", "rollback;")
    s.went_on("the update is done", lambda: blocks().get(s.pid("victim")) is False)
    for role in "owner", "victim", "bystander":
        s.say(role, "quit;")
        s.ended(role)
    with open(s.path("look.sql"), "w", encoding="ascii") as f:
        f.write("select n from stock;\n")
    s.check("the update counts", "117" in s.out([*in_env, "isql-fb", "-q", "-b", "-i", s.path("look.sql"), base]))
