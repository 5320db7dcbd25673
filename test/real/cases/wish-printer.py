# SPDX-License-Identifier: GPL-2.0-or-later
"""A window program of Tk is frozen: it waits for nc, which sends a page to a print spooler. The spooler waits, because the
pipe to the printer's driver is full. The driver waits for its user, because there is no paper."""
import os

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "wish": "tk8.6", "nc": "netcat-openbsd", "python3": "python3", "xdpyinfo": "x11-utils"}
WINDOW = """
label .clock -text start
pack .clock
set ticks 0
proc tick {} {
    incr ::ticks
    .clock configure -text $::ticks
    puts "tick $::ticks"
    flush stdout
    after 100 tick
}
proc command {} {
    if {[gets stdin line] < 0} exit
    if {$line eq "print"} {
        puts [exec nc -N 127.0.0.1 [lindex $::argv 0] <page]
        flush stdout
    }
    if {$line eq "quit"} exit
}
fileevent stdin readable command
tick
"""
SPOOLER = """
import socketserver, sys
class Job(socketserver.StreamRequestHandler):
    def handle(self):
        page = self.rfile.read()
        with open("device", "wb") as printer:
            printer.write(page)
        self.wfile.write(b"printed\\n")
socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(("127.0.0.1", int(sys.argv[1])), Job).serve_forever()
"""
DRIVER = """
while :; do
    { head -c 4096 >/dev/null; echo 'no paper, press enter'; read enter <&3; cat >/dev/null; } 3<&0 <device
    echo 'page done'
done
"""


def play(s):
    port = s.port()
    for name, text in ("window.tcl", WINDOW), ("spooler.py", SPOOLER), ("driver", DRIVER), ("page", "parcel list\n" * 30000):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.mkfifo(s.path("device"))
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n"))
    env = {**os.environ, "DISPLAY": ":" + s.output("xvfb").split()[-1]}
    s.start("driver", ["sh", "driver"], talk=True)
    s.start("spooler", ["/usr/bin/python3", "spooler.py", port])
    s.wait("the spooler listens", lambda: s.connects(port))
    for name in "victim", "bystander":
        s.start(name, ["wish", s.path("window.tcl"), port], env=env, talk=True)
        s.wait("the window of %s works" % name, lambda name=name: s.output(name).count("tick") > 3, 20)
    # The test connects to the spooler, and sends nothing: this is an empty page.
    s.wait("an empty page is done", lambda: "no paper" in s.output("driver"))
    s.say("driver", "")
    s.wait("the printer is ready again", lambda: "page done" in s.output("driver"))

    s.begin()
    s.say("victim", "print")
    s.wait("nc runs", lambda: s.child("victim", "nc"))
    s.role("nc", s.child("victim", "nc"))
    s.wait("the printer has no paper", lambda: s.output("driver").count("no paper") == 2)
    s.wait("the spooler waits for the driver", lambda: s.syscall("spooler") == "write" and "pipe" in s.wchan("spooler"))
    ticks = s.output("victim").count("tick")
    s.during("the spooler waits for the driver", lambda: s.syscall("spooler") == "write" and "pipe" in s.wchan("spooler"))
    s.during("the driver waits for its user", lambda: s.syscall("driver") == "read" and "pipe" in s.wchan("driver") and
             not s.child("driver"))
    s.during("nc waits for the spooler", lambda: s.child("victim") == s.pid("nc") and s.syscall("nc") in ("poll", "ppoll"))
    s.during("the window is frozen", lambda: s.output("victim").count("tick") == ticks and s.state("victim") == "S")
    seen = [0]

    def other_works():
        before, seen[0] = seen[0], s.output("bystander").count("tick")
        return seen[0] > before or s.wait("a tick", lambda: s.output("bystander").count("tick") > before) is None

    s.during("the other window works", other_works)
    s.during("the X server answers", lambda: s.out(["xdpyinfo", "-display", env["DISPLAY"]], timeout=5))
    # The test is the user.
    s.hang(victim="victim", culprits=["driver", "test"], causes=["external", "slow-peer"], vague=["spooler"], stuck=["nc"],
           wrong=["bystander", "xvfb"])
    yield
    s.say("driver", "")
    s.went_on("the window works again", lambda: "printed" in s.output("victim") and s.output("victim").count("tick") > ticks)
    for name in "victim", "bystander":
        s.say(name, "quit")
        s.ended(name)
