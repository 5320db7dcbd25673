# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE waits for the global read lock. mariadb-dump owns it, and writes to a gzip that SIGSTOP has stopped."""
import os
import signal

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client",
         "mariadb-dump": "mariadb-client", "gzip": "gzip"}
ROWS = 4000


def play(s):
    data, sock = s.path("data"), s.path("sock")
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--skip-networking", "--skip-grant-tables"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop; create table shop.stock (id int primary key, n int);"
                    "insert into shop.stock values (5, 10); create table shop.photo (id int primary key, data text);"
                    "insert into shop.photo select seq, repeat(concat(sha2(seq, 512), sha2(rand(), 512)), 32) from "
                    "shop.seq_1_to_%d" % ROWS])
    for name in "monitor", "bystander":
        s.start(name, client + ["shop"], talk=True)
        s.role(name + "_thread", s.pid("mariadbd"),
               int(s.ask(name, "select tid from information_schema.processlist where id = connection_id();")))
    s.ask("bystander", "begin; select n from stock;")
    s.start("idle_gzip", ["gzip", "-1"], talk=True)
    s.start("backup", ["sh", "-c", "mariadb-dump --no-defaults -S '%s' --lock-all-tables shop | gzip -9 >dump.gz" % sock])
    s.wait("gzip packs", lambda: os.path.getsize(s.path("dump.gz")) > 0)
    os.kill(s.role("gzip", s.child("backup", "gzip")), signal.SIGSTOP)
    s.role("dump", s.child("backup", "mariadb-dump"))

    def thread(where):
        """(number of clients that match `where`, highest tid of their threads)"""
        n, tid = s.ask("monitor", "select count(*), ifnull(max(tid), 0) from information_schema.processlist "
                       "where %s;" % where).split()
        return int(n), int(tid)

    dumping, waiting = "info like '%SQL_NO_CACHE%`photo`%' and id <> connection_id()", "state = 'Waiting for backup lock'"
    s.wait("the dump is in the midst of its table", lambda: thread(dumping)[0] == 1)
    s.role("dump_thread", s.pid("mariadbd"), thread(dumping)[1])
    s.wait("the dump waits for gzip", lambda: s.state("gzip") == "T" and s.syscall("dump") == "write")

    s.begin()
    victim = s.start("victim", client + ["shop", "-e", "update stock set n = 9 where id = 5"])
    s.wait("the UPDATE waits", lambda: thread(waiting)[0] == 1)
    s.role("thread", s.pid("mariadbd"), thread(waiting)[1])
    s.during("gzip is stopped", lambda: s.state("gzip") == "T")
    s.during("the dump waits until its pipe is not full", lambda: s.syscall("dump") == "write" and "pipe" in s.wchan("dump"))
    s.during("the dump is in the midst of its table", lambda: thread(dumping) == (1, s.roles["dump_thread"][1]))
    s.during("the UPDATE waits for the lock", lambda: thread(waiting) == (1, s.roles["thread"][1]))
    s.during("readers do not wait", lambda: s.ask("monitor", "select n from stock;") == "10")
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["gzip", "test"], causes=["stopped"], vague=["dump", "dump_thread"], stuck=["thread"],
           wrong=["mariadbd", "bystander", "bystander_thread", "monitor", "monitor_thread", "idle_gzip", "backup"])
    yield
    os.kill(s.pid("gzip"), signal.SIGCONT)
    s.ended("victim")
    s.check("the row changed", s.ask("monitor", "select n from stock;") == "9")
