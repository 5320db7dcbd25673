# SPDX-License-Identifier: GPL-2.0-or-later
"""supervisorctl waits for supervisord, which writes the log of its programs into a full pipe. svlogd should read the pipe. It
waits for its processor, curl, which sends the last log to an archive server. The archive server is frozen."""
import glob
import os
import time

from scene import Missing, descendants, proc

HELD_OUT = True
NEEDS = {"supervisord": "supervisor", "supervisorctl": "supervisor", "svlogd": "runit", "perl": "perl", "curl": "curl",
         "python3": "python3"}
CONF = """
[unix_http_server]
file=%(where)s/sock
[supervisord]
logfile=/dev/null
logfile_maxbytes=0
pidfile=%(where)s/pid
nodaemon=true
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://%(where)s/sock
[program:web]
command=perl %(where)s/web.pl
stdout_logfile=/dev/stdout
stdout_logfile_maxbytes=0
[program:mailer]
command=perl -e 'sleep 1 while 1'
"""
WEB = """
$| = 1;
while (1) {
    print 'GET /parcel/', ++$n, ' 200 ', 'x' x 180, "\\n";
    select(undef, undef, undef, 0.005);
}
"""
ARCHIVE = """
import http.server, sys

class Archive(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        size = len(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"kept\\n")

    def log_message(self, *args):
        print("kept", flush=True)

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Archive).serve_forever()
"""


def play(s):
    group = "/sys/fs/cgroup/freezer/ctrace-test-supervisor-svlogd"
    try:
        os.makedirs(group, exist_ok=True)
    except OSError as e:
        raise Missing("no freezer of version 1 here: %s" % e) from None

    def freeze(to):
        with open(os.path.join(group, "freezer.state"), "w", encoding="ascii") as f:
            f.write(to)

    def frozen():
        with open(os.path.join(group, "freezer.state"), encoding="ascii") as f:
            return f.read() == "FROZEN\n"

    def leave():
        freeze("THAWED")
        for _ in range(100):  # after SIGKILL, a frozen program ends when it is thawed
            try:
                os.rmdir(group)
                return
            except OSError:
                time.sleep(0.1)

    s.callback(leave)
    ports = {"archive": s.port(), "other_archive": s.port()}
    os.mkdir(s.path("logs"))
    send = "curl -sS --data-binary @- -X PUT http://127.0.0.1:%s/log" % ports["archive"]
    for name, text in ("conf", CONF % {"where": s.where}), ("web.pl", WEB), ("archive.py", ARCHIVE), ("parcel", "parcel\n"), \
            ("logs/config", "s20000\nn5\n!exec %s\n" % send):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    for name, port in ports.items():
        s.start(name, ["python3", "archive.py", port])
        s.wait("the archive listens", lambda port=port: s.connects(port))
    with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as f:
        f.write(str(s.pid("archive")))
    s.start("shell", ["sh", "-c", "supervisord -n -c conf | svlogd logs"])

    def status():
        return ["supervisorctl", "-c", s.path("conf"), "status", "web"]

    s.wait("the web server runs", lambda: "RUNNING" in s.out(["sh", "-c", '"$@" || :', "sh", *status()]))
    for name in "supervisord", "svlogd":
        s.role(name, [pid for pid in descendants(s.pid("shell")) if name in proc(pid, "cmdline")][0])
    for pid in descendants(s.pid("supervisord")):
        s.role("web" if "web.pl" in proc(pid, "cmdline") else "mailer", pid)
    s.wait("a log is in the archive", lambda: "kept" in s.output("archive") and glob.glob(s.path("logs/@*.s")))

    freeze("FROZEN")
    try:
        s.wait("the archive is frozen", frozen)
        s.wait("svlogd waits for its processor", lambda: s.syscall("svlogd") == "wait4", 30)
        s.wait("supervisord waits for the pipe", lambda: s.syscall("supervisord") == "write", 30)
        s.begin()
        victim = s.start("victim", status())
        s.role("curl", s.child("svlogd", "curl"))
        s.wait("supervisorctl waits", lambda: s.syscall("victim") in ("recvfrom", "read", "poll"))
        s.during("supervisord waits for the pipe to svlogd", lambda: s.syscall("supervisord") == "write" and os.readlink(
            "/proc/%d/fd/1" % s.pid("supervisord")) == os.readlink("/proc/%d/fd/0" % s.pid("svlogd")))
        s.during("svlogd waits for curl", lambda: s.syscall("svlogd") == "wait4" and
                 s.child("svlogd", "curl") == s.pid("curl"))
        s.during("curl waits for the archive", lambda: s.state("curl") == "S" and s.syscall("curl") in ("poll", "ppoll"))
        s.during("the archive is frozen", lambda: frozen() and
                 "/ctrace-test-supervisor-svlogd\n" in proc(s.pid("archive"), "cgroup"))
        s.during("supervisorctl waits", lambda: victim.poll() is None and s.state("victim") == "S" and
                 s.output("victim") == "")
        s.during("the other archive works", lambda: s.out(
            ["curl", "-sS", "-T", s.path("parcel"), "http://127.0.0.1:%s/log" % ports["other_archive"]], timeout=8) == "kept")
        s.hang(victim="victim", culprits=["archive", "test"], causes=["stopped"], vague=["curl", "svlogd", "supervisord"],
               wrong=["web", "mailer", "other_archive", "shell"])
        yield
    finally:
        freeze("THAWED")
    s.ended("victim")
    s.check("the web server runs", "RUNNING" in s.output("victim"))
