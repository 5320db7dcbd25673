# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: the pool of php-fpm has three workers, and one page a second to make. Most of the time, all workers wait for
a request."""
from scene import children

HELD_OUT = False
NEEDS = {"php-fpm8.2": "php8.2-fpm", "nginx": "nginx", "curl": "curl"}
FPM = """[global]
error_log = %(where)s/fpm.log
daemonize = no
[shop]
user = www-data
group = www-data
listen = %(where)s/sock
listen.mode = 0666
pm = static
pm.max_children = 3
"""
WEB = """worker_processes 1; daemon off; pid %(where)s/pid; user root; events {}
http { access_log off; %(temp)s server { listen 127.0.0.1:%(port)s; location / {
fastcgi_pass unix:%(where)s/sock; fastcgi_param SCRIPT_FILENAME %(where)s/page.php; fastcgi_param REQUEST_METHOD GET; } } }
"""


def play(s):
    temp = " ".join("%s_temp_path %s;" % (what, s.path(what)) for what in
                    ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    words = {"where": s.where, "port": s.port(), "temp": temp}
    for name, text in ("page.php", "<?php echo 'page of ', getmypid(), \"\\n\";"), ("fpm.conf", FPM % words), \
            ("nginx.conf", WEB % words):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    url = "http://127.0.0.1:%s/" % words["port"]
    s.start("fpm", ["php-fpm8.2", "-n", "-y", s.path("fpm.conf")])
    s.start("nginx", ["nginx", "-p", s.where, "-e", s.path("log"), "-c", s.path("nginx.conf")])
    s.wait("nginx listens", lambda: s.connects(words["port"]))
    s.wait("there are three workers", lambda: len(children(s.pid("fpm"))) == 3)
    s.wait("a page comes", lambda: s.out(["curl", "-s", url]).startswith("page of"))
    workers = sorted(children(s.pid("fpm")))
    for i, pid in enumerate(workers):
        s.role("worker%d" % i, pid)
    s.start("client", ["sh", "-c", "while curl -s -m 2 %s; do sleep 1; done" % url])

    def pages():
        return s.output("client").count("page of")

    s.wait("the first page comes", lambda: pages() > 0)

    s.begin()
    seen = [0]

    def goes_on():
        before = seen[0]
        s.wait("a new page comes", lambda: pages() > before, 4)
        seen[0] = pages()
        return True

    s.during("pages come", goes_on)
    s.during("the workers use little CPU", lambda: not any(s.uses_cpu("worker%d" % i, 0.1, 0.1) for i in range(3)))
    s.during("the workers are the same", lambda: sorted(children(s.pid("fpm"))) == workers)
    s.normal(victim="worker0", causes=["timer", "external"])
    yield
    n = pages()
    s.went_on("more pages come", lambda: pages() > n)
    s.check("a page came about each second", n >= s.seconds - 2)
    s.check("no client waits", s.processes["client"][0].poll() is None)
