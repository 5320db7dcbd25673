# SPDX-License-Identifier: GPL-2.0-or-later
"""The servers of bench/requests and bench/causes. The caller says which program a server runs, and which server it asks."""
import os
import shutil
import subprocess

from loads import Server


class Written(Server):
    """A server whose files are written before it starts."""

    def files(self):
        return {}

    def source(self):
        """The program that the server runs; a subclass knows it."""
        raise NotImplementedError

    def prepare(self):
        for name, text in self.files().items():
            with open(self.path(name), "w", encoding="utf-8") as f:
                f.write(text)

    def path(self, name):
        return os.path.join(self.dir, name)


class Gunicorn(Written):
    name, options = "gunicorn", ("-w", "2")

    def __init__(self, where, postgres):
        super().__init__(where)
        self.postgres = postgres

    def files(self):
        return {"app.py": self.source()}

    def command(self):
        return ["gunicorn", *self.options, "-b", "127.0.0.1:%d" % self.port, "app:app"]


class NginxProxy(Written):
    name = "nginx"

    def __init__(self, where, backend):
        super().__init__(where)
        self.backend = backend

    def files(self):
        paths = "".join("%s_temp_path %s; " % (what, self.path(what))
                        for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return {"nginx.conf": "daemon off; pid %s; error_log %s;\nevents {}\nhttp { access_log off; keepalive_requests 1000000;\n%s\n"
                              "server { listen 127.0.0.1:%d; location / { proxy_pass http://127.0.0.1:%d; } } }\n"
                              % (self.path("pid"), self.path("errors"), paths, self.port, self.backend.port)}

    def command(self):
        return ["nginx", "-p", self.dir, "-e", self.path("errors"), "-c", self.path("nginx.conf")]


class MariaDB(Written):
    name, options = "mariadb", ()

    def prepare(self):
        os.chmod(self.dir, 0o777)
        subprocess.run(["mariadb-install-db", "--user=mysql", "--datadir=" + self.path("data"),
                        "--auth-root-authentication-method=normal"], check=True, capture_output=True)

    def command(self):
        return ["mariadbd", "--no-defaults", *self.options, "--user=mysql", "--datadir=" + self.path("data"),
                "--socket=" + self.path("socket"), "--skip-networking"]

    def ready(self):
        sql = ("create database if not exists shop; create table if not exists shop.stock (id int primary key, v int); "
               "replace into shop.stock values (7, 7);")
        return subprocess.run(["mariadb", "--no-defaults", "-S", self.path("socket"), "-e", sql], capture_output=True,
                              check=False).returncode == 0


class Fpm(Written):
    """children: number of processes. A process serves one connection until the client closes it, and haproxy keeps its
    connections open. So with more requests at a time than processes, a request may wait until haproxy has closed another
    connection: 25 s."""
    name, children = "php-fpm", 4

    def __init__(self, where, mariadb):
        super().__init__(where)
        self.mariadb = mariadb

    def files(self):
        return {"fpm.conf": "[global]\nerror_log = %s\n[www]\nuser = root\ngroup = root\nlisten = 127.0.0.1:%d\npm = static\n"
                            "pm.max_children = %d\n" % (self.path("errors"), self.port, self.children),
                "x.php": self.source()}

    def command(self):
        return [php_fpm(), "-y", self.path("fpm.conf"), "-R", "-F"]


class Haproxy(Written):
    name = "haproxy"

    def __init__(self, where, fpm):
        super().__init__(where)
        self.fpm = fpm

    def files(self):
        return {"cfg": "global\n nbthread 1\ndefaults\n mode http\n timeout connect 5s\n timeout client 30s\n timeout server 30s\n"
                       "fcgi-app php\n docroot %s\n index x.php\n option keep-conn\n"
                       "frontend f\n bind 127.0.0.1:%d\n default_backend b\n"
                       "backend b\n use-fcgi-app php\n http-reuse always\n server s 127.0.0.1:%d proto fcgi\n"
                       % (self.fpm.dir, self.port, self.fpm.port)}

    def command(self):
        return ["haproxy", "-db", "-f", self.path("cfg")]


class GoServer(Written):
    name = "go-server"

    def files(self):
        return {"main.go": self.source()}

    def prepare(self):
        super().prepare()
        subprocess.run(["go", "build", "-o", "goshop", "main.go"], cwd=self.dir, check=True, capture_output=True)

    def command(self):
        return [self.path("goshop"), "127.0.0.1:%d" % self.port, self.path("numbers")]


class Node(Written):
    name = "node"

    def __init__(self, where, backend):
        super().__init__(where)
        self.backend = backend

    def files(self):
        return {"proxy.js": self.source()}

    def command(self):
        return ["node", self.path("proxy.js")]


def php_fpm():
    return next((p for p in ("php-fpm", "php-fpm8.2", "php-fpm8.4") if shutil.which(p)), "php-fpm")
