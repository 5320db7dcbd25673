# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for squid, which asks its helper whether the page is allowed. SIGSTOP has stopped this helper."""
import os
import shutil
import signal

from scene import Missing, children, find_program, proc

HELD_OUT = False
NEEDS = {"squid": "squid", "perl": "perl", "lighttpd": "lighttpd", "curl": "curl"}

HELPER = "$| = 1; while (<STDIN>) { my ($n) = split; print qq($n OK\\n) }"
SQUID = """
http_port 127.0.0.1:%(port)s
pid_filename %(where)s/pid
cache_log %(where)s/cache.log
coredump_dir %(where)s
access_log none
cache deny all
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
external_acl_type guard children-max=1 children-startup=1 concurrency=9 ttl=0 negative_ttl=0 %%URI %(helper)s guard
acl guarded external guard
http_access allow guarded
http_access deny all
url_rewrite_program %(helper)s rewrite
url_rewrite_children 1 startup=1 idle=1 concurrency=9
"""


def play(s):
    front, back, where = s.port(), s.port(), s.path("squid")
    os.mkdir(where)
    try:
        shutil.chown(where, "proxy", "proxy")
    except LookupError:
        raise Missing("no user proxy here") from None
    helper = s.path("helper.pl")
    for name, text in (
            ("page", "page"), ("helper.pl", HELPER),
            ("squid.conf", SQUID % {"port": front, "where": where, "helper": "%s %s" % (find_program("perl"), helper)}),
            ("lighttpd.conf", 'server.document-root = "%s"\nserver.bind = "127.0.0.1"\nserver.port = %s\n'
             'server.errorlog = "%s"\n' % (s.where, back, s.path("log")))):
        with open(s.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    s.start("lighttpd", ["lighttpd", "-D", "-f", s.path("lighttpd.conf")])
    s.wait("lighttpd answers", lambda: s.connects(back))
    s.start("squid", ["squid", "-N", "-f", s.path("squid.conf")])
    s.wait("squid listens", lambda: s.connects(front))

    def curl(page):
        return ["curl", "-s", "-x", "http://127.0.0.1:" + front, "http://127.0.0.1:%s/%s" % (back, page)]

    s.check("squid passes the page on", s.out(curl("page")) == "page")
    for pid in children(s.pid("squid")):
        s.role(proc(pid, "cmdline").split("\0")[2], pid)

    def unread(role):
        rows = [line.split() for line in s.out(["ss", "-tnpH"]).splitlines() if "pid=%d,fd=0)" % s.pid(role) in line]
        return sum(int(row[1]) for row in rows)

    s.begin()
    os.kill(s.pid("guard"), signal.SIGSTOP)
    s.wait("the helper stops", lambda: s.state("guard") == "T")
    victim = s.start("victim", curl("page"))
    s.wait("the helper has a question", lambda: unread("guard") > 0)
    s.during("the helper is stopped, and has not read its question", lambda: s.state("guard") == "T" and unread("guard") > 0)
    s.during("the other helper has no question", lambda: s.syscall("rewrite") == "read" and unread("rewrite") == 0)
    s.during("squid and curl wait", lambda: victim.poll() is None and s.state("victim") == "S" and not s.uses_cpu("squid", 0.1))
    s.during("lighttpd works", lambda: s.out(["curl", "-s", "http://127.0.0.1:%s/page" % back], timeout=5) == "page")
    s.hang(victim="victim", culprits=["guard", "test"], causes=["stopped"], vague=["squid"], wrong=["rewrite", "lighttpd"])
    yield
    os.kill(s.pid("guard"), signal.SIGCONT)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page")
