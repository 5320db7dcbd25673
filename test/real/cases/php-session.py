# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a page of its PHP session. Another page has the lock of this session, and sleeps in a loop."""
import glob
import os
import shutil

from scene import Missing

HELD_OUT = False
NEEDS = {"lighttpd": "lighttpd", "php-fpm8.2": "php8.2-fpm", "curl": "curl"}

PAGE = """<?php
session_start();
$_SESSION['pages'] = ($_SESSION['pages'] ?? 0) + 1;
if (isset($_GET['news']))
    while (!file_exists('news')) {  // as a chat does, that waits for news
        usleep(100000);
        clearstatcache();
    }
echo "page ", $_SESSION['pages'], "\\n";
"""
FPM = """[global]
error_log = %(where)s/fpm.log
daemonize = no
[shop]
user = www-data
group = www-data
listen = %(sock)s
pm = static
pm.max_children = 4
php_admin_value[session.save_path] = %(sessions)s
php_admin_value[session.use_strict_mode] = 0
"""
WEB = """server.document-root = "%(where)s"
server.bind = "127.0.0.1"
server.port = %(port)s
server.errorlog = "%(where)s/log"
server.modules = ("mod_fastcgi")
fastcgi.server = (".php" => (("socket" => "%(sock)s")))
"""


def play(s):
    port, sessions = s.port(), s.path("sessions")
    os.mkdir(sessions)
    try:
        shutil.chown(sessions, "www-data", "www-data")
    except LookupError:
        raise Missing("no user www-data here") from None
    words = {"where": s.where, "port": port, "sock": s.path("sock"), "sessions": sessions}
    for name, text in ("page.php", PAGE), ("fpm.conf", FPM % words), ("lighttpd.conf", WEB % words):
        with open(s.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    s.start("fpm", ["php-fpm8.2", "-n", "-y", s.path("fpm.conf")])
    s.wait("fpm listens", lambda: os.path.exists(s.path("sock")))
    s.start("lighttpd", ["lighttpd", "-D", "-f", s.path("lighttpd.conf")])
    s.wait("lighttpd listens", lambda: s.connects(port))

    def curl(session, page="page.php"):
        return ["curl", "-s", "-b", "PHPSESSID=" + session, "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("both sessions have a page", [s.out(curl(name)) for name in ("anna", "bert")] == ["page 1", "page 1"])

    def locks(session):
        found = s.locks(glob.glob(sessions + "/sess_" + session)[0])
        return found["owners"], found["waiters"]

    def open_page(name, session):
        """Asks for a page that keeps the lock of the session. Returns the curl that asks, and the pid of the lock's owner."""
        p = s.start(name, curl(session, "page.php?news=1"))
        s.wait("%s has the lock of the session" % name, lambda: len(locks(session)[0]) == 1)
        return p, locks(session)[0][0]

    _, pid = open_page("bystander", "bert")
    s.role("bystander_page", pid)
    chat, pid = open_page("chat", "anna")
    s.role("owner", pid)

    s.begin()
    victim = s.start("victim", curl("anna"))
    s.wait("the page waits for the lock", lambda: locks("anna")[1])
    s.role("page", locks("anna")[1][0])
    s.during("the page waits for the lock of the other page", lambda: locks("anna") == ([s.pid("owner")], [s.pid("page")]) and
             s.syscall("page") == "flock")
    s.during("the owner is not busy", lambda: not s.uses_cpu("owner", 0.1))
    s.during("both clients wait", lambda: victim.poll() is None and chat.poll() is None and s.state("victim") == "S")
    s.during("other sessions have pages", lambda: s.out(curl("clara"), timeout=5).startswith("page "))
    s.hang(victim="victim", culprits=["owner"], causes=["lock-holder", "timer"], vague=["lighttpd"], stuck=["page"],
           wrong=["fpm", "bystander", "bystander_page", "chat", "test"])
    yield
    with open(s.path("news"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.ended("chat")
    s.check("the page came", s.output("victim") == "page 3\n")
