# SPDX-License-Identifier: GPL-2.0-or-later
"""supervisorctl stop waits until its program has ended. The program has got SIGTERM, but first computes its job to the end."""
HELD_OUT = False
NEEDS = {"supervisord": "supervisor", "supervisorctl": "supervisor", "perl": "perl"}

CONF = """
[unix_http_server]
file=%(where)s/sock
[supervisord]
logfile=%(where)s/log
pidfile=%(where)s/pid
nodaemon=true
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://%(where)s/sock
[program:report]
command=perl %(where)s/report.pl job
stopwaitsecs=60
autorestart=false
[program:mailer]
command=perl %(where)s/report.pl job
[program:idler]
command=perl %(where)s/report.pl idle
"""
# report.pl looks for SIGTERM only between two jobs. A job ends when the file "enough" exists.
REPORT = """
$| = 1;
$SIG{TERM} = sub { $end = 1; open(my $f, '>', "term.$$"); };
while (!$end) {
    if ($ARGV[0] eq 'idle') { sleep 3600; next }
    until (-e 'enough') { $x = ($x * 1103515245 + 12345) % 2147483648 for 1 .. 20000 }
    sleep 1;
}
exit 0;
"""


def play(s):
    for name, text in ("report.pl", REPORT), ("conf", CONF % {"where": s.where}):
        with open(s.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    s.start("supervisord", ["supervisord", "-n", "-c", s.path("conf")])

    def ctl(*args):
        return ["supervisorctl", "-c", s.path("conf"), *args]

    def status(name):
        """A row of supervisorctl status, such as: report RUNNING pid 12, uptime 0:00:02"""
        return s.out(["sh", "-c", 'supervisorctl -c "$0" status "$1" || :', s.path("conf"), name]).split()

    for name in "report", "mailer", "idler":
        s.wait("%s runs" % name, lambda name=name: status(name)[1] == "RUNNING")
        s.role(name, int(status(name)[3].rstrip(",")))
    s.wait("the jobs compute", lambda: s.uses_cpu("report", 0.2) and s.uses_cpu("mailer", 0.2))

    s.begin()
    victim = s.start("victim", ctl("stop", "report"))
    s.wait("the program has got SIGTERM", lambda: open(s.path("term.%d" % s.pid("report")), "rb").close() is None)
    s.during("supervisord waits for the end of the program", lambda: status("report")[1] == "STOPPING")
    s.during("the program computes", lambda: s.uses_cpu("report", 0.2))
    s.during("the other programs run", lambda: status("mailer")[1] == status("idler")[1] == "RUNNING")
    s.during("supervisorctl waits", lambda: victim.poll() is None and s.state("victim") == "S")
    s.hang(victim="victim", culprits=["report"], causes=["busy"], vague=["supervisord"],
           wrong=["mailer", "idler", "test"])
    yield
    with open(s.path("enough"), "wb"):
        pass
    s.ended("victim")
    s.check("the program has stopped", "report: stopped" in s.output("victim"))
