# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for the only worker of Apache. The worker reads the upload of another curl, which SIGSTOP has stopped."""
import os
import signal

from scene import children

HELD_OUT = False
NEEDS = {"apache2": "apache2-bin", "perl": "perl", "curl": "curl"}
MB, RATE_MB = 12, 4

APACHE = """
ServerName localhost
ServerRoot %(where)s
Listen 127.0.0.1:%(port)s
PidFile pid
ErrorLog log
DocumentRoot %(where)s
User www-data
Group www-data
LoadModule mpm_prefork_module %(modules)s/mod_mpm_prefork.so
LoadModule authz_core_module %(modules)s/mod_authz_core.so
LoadModule alias_module %(modules)s/mod_alias.so
LoadModule cgi_module %(modules)s/mod_cgi.so
Mutex posixsem
StartServers 1
MinSpareServers 1
MaxSpareServers 1
ServerLimit 1
MaxRequestWorkers 1
KeepAlive Off
Timeout 60
ScriptAlias /cgi/ %(where)s/cgi/
"""
SCRIPT = """#!/usr/bin/perl
my $n = 0;
while (my $got = read(STDIN, my $data, 65536)) { $n += $got }
print "Content-Type: text/plain\\r\\n\\r\\n$n\\n";
"""


def play(s):
    port = s.port()
    os.mkdir(s.path("cgi"))
    for name, text in (("page", "page"), ("cgi/upload", SCRIPT),
                       ("apache.conf", APACHE % {"where": s.where, "port": port, "modules": "/usr/lib/apache2/modules"})):
        with open(s.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    os.chmod(s.path("cgi/upload"), 0o755)
    with open(s.path("photos"), "wb") as f:
        f.truncate(MB << 20)
    s.start("apache", ["apache2", "-D", "FOREGROUND", "-f", s.path("apache.conf")])
    url = "http://127.0.0.1:%s/" % port
    s.wait("apache listens", lambda: s.connects(port))
    s.check("apache answers", s.out(["curl", "-s", url + "page"]) == "page")
    upload = ["curl", "-s", "-H", "Expect:", "-X", "POST", "-T", s.path("photos"), "--limit-rate", "%dM" % RATE_MB,
              url + "cgi/upload"]
    uploader = s.start("uploader", upload)

    def script():
        """[(worker, its CGI program)]"""
        return [(w, c) for w in children(s.pid("apache")) for c in children(w)]

    s.wait("the CGI program runs", script)
    s.role("worker", script()[0][0])
    s.role("script", script()[0][1])
    s.wait("the CGI program has read a part", lambda: "read" in s.syscall("script"))

    s.begin()
    uploader.send_signal(signal.SIGSTOP)
    s.wait("the uploader stops", lambda: s.state("uploader") == "T")
    victim = s.start("victim", ["curl", "-s", url + "page"])

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + port]).split()[1])

    def unread():
        """The bytes that the worker has not read, for each client."""
        rows = s.out(["ss", "-tnpH", "sport = :" + port]).splitlines()
        return [int(row.split()[1]) for row in rows if "pid=%d," % s.pid("worker") in row]

    s.wait("the victim is not accepted", lambda: unaccepted() == 1)
    s.during("the uploader is stopped", lambda: s.state("uploader") == "T")
    s.during("the worker has read all that the uploader sent", lambda: unread() == [0])
    s.during("the worker and its CGI program wait for more", lambda: script() == [(s.pid("worker"), s.pid("script"))] and
             s.syscall("worker") in ("poll", "ppoll", "read") and s.syscall("script") == "read")
    s.during("the victim is not accepted, and waits", lambda: victim.poll() is None and unaccepted() == 1)
    s.hang(victim="victim", culprits=["uploader", "test"], causes=["stopped"], vague=["worker"], wrong=["apache", "script"])
    yield
    uploader.send_signal(signal.SIGCONT)
    s.ended("uploader")
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page")
    s.check("the upload is whole", s.output("uploader").strip() == str(MB << 20))
