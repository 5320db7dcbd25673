# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE of a MyISAM table of MariaDB waits for the lock of a backup. mariadb-backup owns the lock while it copies the MyISAM
tables, and waits for the pipe to xz. xz compresses, with one thread and its best level."""
import os
import time

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client",
         "mariadb-backup": "mariadb-backup", "xz": "xz-utils"}


def play(s):
    data, sock = s.path("data"), s.path("sock")
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db",
           "--auth-root-authentication-method=normal"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--skip-networking"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-u", "root", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop; create table shop.stock (id int primary key, n int) engine=myisam; "
                    "insert into shop.stock values (5, 10), (6, 10); "
                    "create table shop.orders (id int primary key, n int) engine=innodb; insert into shop.orders values (6, 1); "
                    "create table shop.photos (id int primary key, photo text) engine=myisam; "
                    "insert into shop.photos select seq, to_base64(random_bytes(1024)) from mysql.seq_1_to_60000"])
    for name in "monitor", "bystander":
        s.start(name, client + ["shop"], talk=True)
        tid = s.ask(name, "select tid from information_schema.processlist where id = connection_id();")
        s.role(name + "_thread", s.pid("mariadbd"), int(tid))
    s.ask("bystander", "begin; select n from orders where id = 6 for update;")
    waiting = ("select ifnull(group_concat(tid), '-') from information_schema.processlist "
               "where state = 'Waiting for backup lock' and info like 'update%';")

    backup = "mariadb-backup --no-defaults --backup --stream=xbstream --user=root --socket=%s --target-dir=%s | xz -9e -T1 >%s"
    s.start("shell", ["bash", "-c", backup % (sock, s.path("target"), s.path("backup.xz"))])
    s.wait("the backup has its lock", lambda: "Acquired locks for BACKUP STAGE FLUSH" in s.output("shell"), 60)
    for name in "mariadb-backup", "xz":
        pid = [pid for pid in descendants(s.pid("shell")) if proc(pid, "cmdline").startswith(name)][0]
        s.role("backup" if name != "xz" else name, pid)
    mine = "select max(tid) from information_schema.processlist where command <> 'Daemon' and tid not in (%s);"
    s.role("backup_thread", s.pid("mariadbd"), int(s.ask("monitor", mine % ", ".join(
        str(s.roles[name + "_thread"][1]) for name in ("monitor", "bystander")))))

    def waits_for_pipe():
        """Looks up to 200 times. Returns whether a thread of the backup waited for the pipe in one of these looks."""
        for _ in range(200):
            if any("pipe" in proc(s.pid("backup"), "wchan", tid) for tid in s.threads("backup")):
                return True
            time.sleep(0.005)
        return False

    s.begin()
    victim = s.start("victim", client + ["shop", "-e", "update stock set n = n - 1 where id = 5"])
    s.wait("the UPDATE waits", lambda: s.ask("monitor", waiting) != "-")
    thread = s.ask("monitor", waiting)
    s.role("thread", s.pid("mariadbd"), int(thread))
    s.during("the UPDATE waits for the lock of the backup", lambda: s.ask("monitor", waiting) == thread)
    s.during("the backup has the lock, and waits for the pipe", lambda: "BACKUP STAGE BLOCK_DDL" not in s.output("shell") and waits_for_pipe())
    s.during("xz compresses", lambda: s.uses_cpu("xz", 0.15))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["xz"], causes=["busy"], vague=["backup", "backup_thread"], stuck=["thread"],
           wrong=["monitor", "monitor_thread", "bystander", "bystander_thread", "mariadbd", "shell", "test"])
    yield
    os.kill(s.pid("xz"), 15)  # the administrator gives up the backup
    s.ended("victim")
    s.check("the UPDATE is done", s.ask("monitor", "select n from stock where id = 5;") == "9")
