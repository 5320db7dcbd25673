# SPDX-License-Identifier: GPL-2.0-or-later
"""radclient waits for freeradius. Its thread waits for a bash script, which asks a credit server in Tcl. This server
sleeps in `after 7000` for another client, so its event loop does not run."""
import os

HELD_OUT = False
NEEDS = {"freeradius": "freeradius", "radclient": "freeradius-utils", "tclsh": "tcl", "bash": "bash"}
CREDIT = """proc answer {channel} {
    if {[gets $channel line] < 0} { close $channel; return }
    if {[string match "audit *" $line]} { after [lindex $line 1] }
    puts $channel "good"
    close $channel
}
proc welcome {channel address port} {
    fconfigure $channel -buffering line -translation lf
    fileevent $channel readable [list answer $channel]
}
socket -server welcome -myaddr 127.0.0.1 [lindex $argv 0]
vwait forever
"""
SCRIPT = """#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/%s
echo "$1" >&3
read -r answer <&3
[ "$answer" = good ]
"""
CONF = """prefix = /usr
exec_prefix = /usr
sysconfdir = %(where)s
localstatedir = %(where)s
name = radiusd
logdir = %(where)s
run_dir = %(where)s
raddbdir = %(where)s
libdir = /usr/lib/freeradius
max_request_time = 60
cleanup_delay = 1
log { destination = stdout }
security { allow_vulnerable_openssl = yes }
thread pool {
    start_servers = 2
    max_servers = 2
    min_spare_servers = 1
    max_spare_servers = 2
}
modules {
    exec credit {
        wait = yes
        program = "%(where)s/credit.sh %%{User-Name}"
        input_pairs = request
        timeout = 50
    }
}
client here {
    ipaddr = 127.0.0.1
    secret = sesame
}
server default {
    listen {
        type = auth
        ipaddr = 127.0.0.1
        port = %(port)s
    }
    authorize {
        credit
        update control { Auth-Type := Accept }
    }
}
"""
SLEEPS = ("select", "pselect6", "nanosleep", "clock_nanosleep", "poll")


def play(s):
    port, credit = s.port(), s.port()
    for name, text in (("credit.tcl", CREDIT), ("credit.sh", SCRIPT % credit), ("dictionary", ""),
                       ("radiusd.conf", CONF % {"where": s.where, "port": port}),
                       ("login", 'User-Name = "anna", User-Password = "secret"\n')):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.chmod(s.path("credit.sh"), 0o755)
    s.start("credit", ["tclsh", "credit.tcl", credit])
    s.wait("the credit server listens", lambda: s.connects(credit))
    s.start("radius", ["freeradius", "-f", "-l", "stdout", "-n", "radiusd", "-d", s.where])
    login = ["radclient", "-r", "1", "-t", "50", "-f", s.path("login"), "127.0.0.1:" + port, "auth", "sesame"]
    s.wait("radius is ready", lambda: "Ready to process requests" in s.output("radius"))
    s.check("a login works", "Access-Accept" in s.out(login, timeout=8))
    ask = "exec 3<>/dev/tcp/127.0.0.1/%s; echo audit %d >&3; read -r answer <&3; echo $answer"
    audit = s.start("audit", ["bash", "-c", ask % (credit, 1000 * (s.seconds + 2))])

    def unread(state, column):
        rows = s.out(["ss", "-tnH", "state", state, "sport = :" + credit]).splitlines()
        return sum(int(r.split()[column]) for r in rows)

    s.wait("the audit is with the credit server", lambda: s.connects(credit) and unread("listening", 0) > 0)

    s.begin()
    victim = s.start("victim", login)
    s.wait("the script runs", lambda: s.child("radius") is not None)
    s.role("script", s.child("radius"))
    s.wait("the script waits", lambda: s.syscall("script") == "read")
    s.during("the credit server sleeps", lambda: s.state("credit") == "S" and s.syscall("credit") in SLEEPS)
    s.during("it has not accepted the script's connection", lambda: unread("listening", 0) >= 2)
    s.during("the script waits for the answer", lambda: s.syscall("script") == "read" and "socket:" in os.readlink(
        "/proc/%d/fd/0" % s.pid("script")) + os.readlink("/proc/%d/fd/3" % s.pid("script")))
    s.during("radclient and the audit wait", lambda: victim.poll() is None and audit.poll() is None
             and s.state("victim") == s.state("audit") == "S")
    s.hang(victim="victim", culprits=["credit"], causes=["timer"], vague=["audit"],
           stuck=["radius", "script"], wrong=["test"])
    yield
    s.ended("audit")
    s.ended("victim")
    s.check("the login was accepted", "Access-Accept" in s.output("victim"))
