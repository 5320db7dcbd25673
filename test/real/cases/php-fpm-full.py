# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for the only child of a php-fpm pool. For another page, the child asks a web server that SIGSTOP
has stopped."""
import os
import signal

from scene import children, proc

HELD_OUT = True
NEEDS = {"nginx": "nginx-core", "php-fpm8.2": "php8.2-fpm", "curl": "curl", "python3": "python3", "ss": "iproute2"}

POOL = """[%(name)s]
user = www-data
group = www-data
listen = %(where)s/%(name)s.sock
pm = static
pm.max_children = 1
"""
NGINX = """
daemon off;
master_process off;
user root;
pid %(where)s/nginx.pid;
error_log %(where)s/nginx.log;
events { }
http {
    access_log off;
    server {
        listen 127.0.0.1:%(port)s;
        fastcgi_param REQUEST_METHOD $request_method;
        fastcgi_param SCRIPT_FILENAME %(where)s$fastcgi_script_name;
        location /admin/ { rewrite ^/admin(.*)$ $1 break; fastcgi_pass unix:%(where)s/admin.sock; }
        location / { fastcgi_pass unix:%(where)s/shop.sock; }
    }
}
"""


def play(s):
    port, stock = s.port(), s.port()
    words = {"where": s.where, "port": port}
    for name, text in (("page", "17"), ("hello.php", "<?php echo 'hello';"),
                       ("order.php", "<?php echo file_get_contents('http://127.0.0.1:%s/page');" % stock),
                       ("fpm.conf", "[global]\nerror_log = %s/fpm.log\ndaemonize = no\n" % s.where +
                        "".join(POOL % {**words, "name": n} for n in ("shop", "admin"))), ("nginx.conf", NGINX % words)):
        with open(s.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    s.start("stock", ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", stock])
    s.wait("the stock server answers", lambda: s.connects(stock))
    s.start("fpm", ["php-fpm8.2", "-n", "-y", s.path("fpm.conf")])
    s.wait("fpm listens", lambda: os.path.exists(s.path("admin.sock")) and len(children(s.pid("fpm"))) == 2)
    for pid in children(s.pid("fpm")):
        s.role("admin" if "admin" in proc(pid, "cmdline") else "child", pid)
    s.start("nginx", ["nginx", "-c", s.path("nginx.conf"), "-e", s.path("nginx.log")])
    s.wait("nginx listens", lambda: s.connects(port))

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("all is well", [s.out(curl(x)) for x in ("hello.php", "order.php", "admin/hello.php")] == ["hello", "17", "hello"])

    def unaccepted():
        rows = [line.split() for line in s.out(["ss", "-lxnH"]).splitlines() if s.path("shop.sock") in line]
        return int(rows[0][2])

    s.begin()
    os.kill(s.pid("stock"), signal.SIGSTOP)
    s.wait("the stock server stops", lambda: s.state("stock") == "T")
    s.start("order", curl("order.php"))
    s.wait("the child waits for the stock server", lambda: s.syscall("child") == "poll")
    victim = s.start("victim", curl("hello.php"))
    s.wait("the connection is not accepted", lambda: unaccepted() == 1)
    s.during("the connection is not accepted", lambda: unaccepted() == 1)
    s.during("the stock server is stopped", lambda: s.state("stock") == "T")
    s.during("the child waits", lambda: s.state("child") == "S" and s.syscall("child") == "poll")
    s.during("nginx and the other pool answer", lambda: s.out(curl("admin/hello.php"), timeout=5) == "hello")
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["stock", "test"], causes=["stopped", "queueing"], vague=["child", "nginx"],
           wrong=["admin", "fpm", "order"])
    yield
    os.kill(s.pid("stock"), signal.SIGCONT)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "hello")
