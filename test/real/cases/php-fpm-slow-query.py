# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a short page of php-fpm. Both children of the pool are at work for other clients, and wait for MariaDB. Two
threads of MariaDB compute the result of a slow query, which has no index to use."""
import os
import time

from scene import Missing, children

HELD_OUT = False
NEEDS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "mariadb": "mariadb-client",
         "php-fpm8.2": "php8.2-fpm", "nginx": "nginx", "curl": "curl", "ss": "iproute2"}
MYSQLI = "/usr/lib/php/20220829/mysqli.so"  # php8.2-mysql
FPM = """[global]
error_log = %(where)s/fpm.log
daemonize = no
[shop]
user = root
group = root
listen = %(where)s/fpm.sock
pm = static
pm.max_children = 2
"""
NGINX = """worker_processes 1; daemon off; pid %(where)s/pid; user root; events {}
http { access_log off; %(temp)s server { listen 127.0.0.1:%(port)s; location = /hours { return 200 open; }
location / { fastcgi_read_timeout 100; fastcgi_pass unix:%(where)s/fpm.sock; fastcgi_param REQUEST_METHOD GET;
fastcgi_param SCRIPT_FILENAME %(where)s$fastcgi_script_name; } } }
"""
REPORT = """<?php
mysqli_report(MYSQLI_REPORT_OFF);
$db = new mysqli(null, 'root', '', 'shop', 0, '%s');
$sums = $db->query('select count(*) from orders a, orders b, orders c where a.city + b.city < c.city * 2');
echo $sums ? $sums->fetch_row()[0] : 'no report';
"""


def play(s):
    if not os.path.exists(MYSQLI):
        raise Missing("no MySQL for PHP here (package php8.2-mysql)")
    data, sock, port = s.path("data"), s.path("sock"), s.port()
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    words = {"where": s.where, "temp": temp, "port": port}
    for name, text in ("fpm.conf", FPM % words), ("nginx.conf", NGINX % words), ("report.php", REPORT % sock), \
            ("hello.php", "<?php echo 'hello';"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["mariadb-install-db", "--no-defaults", "--user=root", "--datadir=" + data, "--skip-test-db"])
    s.start("mariadbd", ["mariadbd", "--no-defaults", "--user=root", "--datadir=" + data, "--socket=" + sock,
                         "--pid-file=" + s.path("pid.db"), "--skip-networking", "--skip-grant-tables"])
    client = ["mariadb", "--no-defaults", "-N", "-B", "-n", "-S", sock]
    s.wait("mariadbd is ready", lambda: "ready for connections" in s.output("mariadbd"), 30)
    s.out(client + ["-e", "create database shop; use shop; create table orders (id int, city int) engine=innodb; "
                    "insert into orders select seq, seq % 100 from seq_1_to_5000"])
    s.start("fpm", ["php-fpm8.2", "-n", "-d", "extension=mysqlnd", "-d", "extension=mysqli", "-R", "-y", s.path("fpm.conf")])
    s.wait("fpm has its children", lambda: os.path.exists(s.path("fpm.sock")) and len(children(s.pid("fpm"))) == 2)
    for i, pid in enumerate(sorted(children(s.pid("fpm")))):
        s.role("child%d" % i, pid)
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(port))
    s.role("web", s.child("nginx"))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("a page comes", s.out(get("hello.php")) == "hello")
    s.start("monitor", client + ["shop"], talk=True)
    s.role("monitor_thread", s.pid("mariadbd"), int(s.ask(
        "monitor", "select tid from information_schema.processlist where id = connection_id();")))

    def queries():
        """[(connection, thread)] of the reports that MariaDB computes."""
        found = s.ask("monitor", "select ifnull(group_concat(id, ' ', tid order by id), '') from information_schema.processlist "
                      "where command = 'Query' and info like 'select count(*) from orders%';")
        return [tuple(map(int, row.split())) for row in found.split(",") if row]

    def unaccepted():
        return int(next(row.split()[2] for row in s.out(["ss", "-lxnH"]).splitlines() if s.path("fpm.sock") in row))

    def compute():
        before = [s.cpu_s("query%d" % i) for i in range(2)]
        time.sleep(0.3)
        return all(s.cpu_s("query%d" % i) - before[i] > 0.02 for i in range(2))

    s.begin()
    for i in range(2):
        s.start("report%d" % i, get("report.php"))
    s.wait("MariaDB computes both reports", lambda: len(queries()) == 2)
    running = queries()
    for i in range(2):
        s.role("query%d" % i, s.pid("mariadbd"), running[i][1])
    victim = s.start("victim", get("hello.php"))
    s.wait("the request waits for a child", lambda: unaccepted() == 1)
    s.during("the request waits for a child", lambda: victim.poll() is None and unaccepted() == 1)
    s.during("MariaDB computes the same reports", lambda: queries() == running)
    s.during("two threads of MariaDB compute", compute)
    s.during("both children wait", lambda: all(s.state("child%d" % i) == "S" and s.syscall("child%d" % i) in
                                               ("poll", "ppoll", "recvfrom", "read") for i in range(2)))
    s.during("nginx answers others", lambda: s.out(get("hours"), timeout=5) == "open")
    s.hang(victim="victim", culprits=["query0", "query1"], causes=["busy"],
           vague=["child0", "child1", "mariadbd", "nginx", "web"],
           wrong=["fpm", "report0", "report1", "monitor", "monitor_thread", "test"])
    yield
    s.out(client + ["-e", "; ".join("kill query %d" % connection for connection, _ in running)])
    s.ended("victim")
    s.check("the page came", s.output("victim") == "hello")
    for i in range(2):
        s.ended("report%d" % i)
