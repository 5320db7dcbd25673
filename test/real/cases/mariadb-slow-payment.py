# SPDX-License-Identifier: GPL-2.0-or-later
"""An UPDATE of MariaDB waits for the lock of a row. A PHP worker owns the lock, and waits inside of its transaction
for the answer of a payment service in node, which is late."""
import os
import time

from scene import Missing

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client",
         "php8.2": "php8.2-cli", "node": "nodejs", "curl": "curl"}
MYSQLI = "/usr/lib/php/20220829/mysqli.so"  # php8.2-mysql
WORKER = """<?php
$db = new mysqli(null, 'root', '', 'shop', 0, '%(sock)s');
$db->begin_transaction();
$db->query('update orders set state = "paid" where id = 5');
echo "connection ", $db->thread_id, "\\n";
$way = stream_context_create(['http' => ['timeout' => 60]]);
echo file_get_contents('http://127.0.0.1:%(port)s/pay', false, $way), "\\n";
$db->commit();
"""
PAYMENT = """
const http = require('http');
http.createServer((ask, answer) => {
    if (ask.url === '/pay')
        setTimeout(() => answer.end('payment 17'), %d);
    else
        answer.end('well');
}).listen(%s, '127.0.0.1');
"""


def play(s):
    if not os.path.exists(MYSQLI):
        raise Missing("no MySQL for PHP here (package php8.2-mysql)")
    data, sock, port = s.path("data"), s.path("sock"), s.port()
    for name, text in ("worker.php", WORKER % {"sock": sock, "port": port}), \
            ("pay.js", PAYMENT % (1000 * s.seconds + 8000, port)):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid"), "--skip-networking", "--skip-grant-tables"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop; create table shop.orders (id int primary key, state text) engine=innodb; "
                    "insert into shop.orders values (5, 'new'), (6, 'new')"])
    s.start("payment", ["node", s.path("pay.js")])
    health = ["curl", "-s", "http://127.0.0.1:%s/health" % port]
    s.wait("the payment service listens", lambda: s.connects(port))

    def thread(role, connection):
        tid = s.out(client + ["-e", "select tid from information_schema.processlist where id = %s" % connection])
        s.role(role, s.pid("mariadbd"), int(tid))

    for name in "monitor", "bystander":
        s.start(name, client + ["shop"], talk=True)
        thread(name + "_thread", s.ask(name, "select connection_id();"))
    s.ask("bystander", "begin; update orders set state = 'sent' where id = 6; select 'sent';")

    worker = s.start("worker", ["php8.2", "-n", "-d", "extension=mysqlnd", "-d", "extension=mysqli", "worker.php"])
    s.wait("the worker has the row", lambda: "connection" in s.output("worker"))
    owner = s.output("worker").split()[1]
    thread("worker_thread", owner)
    s.wait("the worker waits for the payment service", lambda: s.syscall("worker") in ("poll", "ppoll", "read", "recvfrom"))

    s.begin()
    victim = s.start("victim", client + ["shop", "-e", "update orders set state = 'lost' where id = 5"])
    pairs = ("select ifnull(group_concat(a.trx_mysql_thread_id, ' ', b.trx_mysql_thread_id), '-') "
             "from information_schema.innodb_lock_waits w "
             "join information_schema.innodb_trx a on a.trx_id = w.requesting_trx_id "
             "join information_schema.innodb_trx b on b.trx_id = w.blocking_trx_id;")

    def pair():
        time.sleep(0.2)  # InnoDB renews these tables if nobody has read them for 0.1 s
        return s.ask("monitor", pairs)

    s.wait("the UPDATE waits", lambda: pair().endswith(" " + owner))
    first = pair()
    thread("thread", first.split()[0])
    s.during("the UPDATE waits for the worker's lock", lambda: pair() == first)
    s.during("the worker waits for an answer", lambda: worker.poll() is None and "payment" not in s.output("worker") and
             s.syscall("worker") in ("poll", "ppoll", "read", "recvfrom"))
    s.during("the payment service sleeps", lambda: s.state("payment") == "S" and not s.uses_cpu("payment", 0.1))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.during("the payment service answers others", lambda: s.out(health, timeout=5) == "well")
    s.hang(victim="victim", culprits=["payment"], causes=["timer", "slow-peer", "external"],
           vague=["worker", "worker_thread"], stuck=["thread"],
           wrong=["bystander", "bystander_thread", "monitor", "monitor_thread", "mariadbd", "test"])
    yield
    s.ended("worker")
    s.ended("victim")
    s.check("the payment came", s.output("worker").endswith("payment 17\n"))
