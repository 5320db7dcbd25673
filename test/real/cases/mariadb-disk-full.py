# SPDX-License-Identifier: GPL-2.0-or-later
"""An INSERT into a MyISAM table waits, because the disk of the database is full. The thread of MariaDB waits, and tries again
after a minute. The disk was filled by an old dump, which nobody writes any more."""
import os
import signal

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client",
         "dd": "coreutils", "mount": "mount"}
ROW = "insert into log (text) values (repeat('x', 8000))"


def play(s):
    data, sock, where = s.path("data"), s.path("sock"), s.path("data/shop")
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--skip-networking", "--skip-grant-tables"], stop=signal.SIGKILL)
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop"])
    s.out(["mount", "-t", "tmpfs", "-o", "size=8m,mode=755", "shop", where])
    s.callback(s.out, ["umount", "-l", where])
    s.out(client + ["shop", "-e", "create table log (id int auto_increment primary key, text varchar(9000)) engine=myisam; "
                    "create table stock (n int) engine=innodb; insert into stock values (17)"])
    s.out(client + ["shop", "-e", ROW])

    def free():
        v = os.statvfs(where)
        return v.f_bavail * v.f_frsize

    def thread(role, connection):
        tid = s.out(client + ["-e", "select tid from information_schema.processlist where id = %s" % connection])
        s.role(role, s.pid("mariadbd"), int(tid))

    s.start("bystander", client + ["shop"], talk=True)
    thread("bystander_thread", s.ask("bystander", "select connection_id();"))
    s.out(["sh", "-c", "dd if=/dev/zero of=data/shop/old-dump.sql bs=4k 2>dd.out || true"])
    s.check("the disk is full", free() == 0)

    s.begin()
    victim = s.start("victim", client + ["shop", "-e", "%s; %s; %s" % (ROW, ROW, ROW)])
    s.wait("MariaDB says that the disk is full", lambda: "Disk is full" in s.output("mariadbd"))
    mine = "select id from information_schema.processlist where info like 'insert into log%'"
    s.wait("the INSERT waits", lambda: s.out(client + ["-e", mine]))
    connection = s.out(client + ["-e", mine])
    thread("thread", connection)
    state = "select state from information_schema.processlist where id = " + connection
    s.during("the disk is full", lambda: free() == 0)
    s.during("the thread of the INSERT waits for room on the disk", lambda: s.state("thread") == "S" and
             s.out(client + ["-e", state], timeout=5) == "Waiting for someone to free space")
    s.during("the client waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("other queries work", lambda: s.out(client + ["shop", "-e", "select n from stock"], timeout=5) == "17")
    s.hang(victim="victim", culprits=["thread", "mariadbd"],
           causes=["timer", "disk", "polling", "external", "missing-wakeup"],
           wrong=["bystander", "bystander_thread", "test"])
    yield
    # MariaDB looks again only after a minute, so the administrator makes room and ends the query.
    os.unlink(os.path.join(where, "old-dump.sql"))
    s.out(client + ["-e", "kill query " + connection])
    s.went_on("the victim ends", lambda: victim.poll() is not None)
    s.check("there is room again", s.out(client + ["shop", "-e", ROW + "; select 'saved'"]) == "saved")
