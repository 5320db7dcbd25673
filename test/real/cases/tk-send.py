# SPDX-License-Identifier: GPL-2.0-or-later
"""A window program of Tk sends a question to another one (Tk's send, through the X server), and waits. The other one looks in
a loop for a file of the scanner. It does not handle events meanwhile, so it does not answer."""
import os
import secrets

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "wish": "tk8.6", "xauth": "xauth", "xdpyinfo": "x11-utils"}
CLERK = """
tk appname [lindex $argv 0]
label .l -text clerk
pack .l
proc price {what} { return "price of $what" }
proc scan {} {
    puts "scans"
    flush stdout
    while {![file exists scanned]} { after 150 }
    puts "scanned"
    flush stdout
}
proc command {} {
    if {[gets stdin line] < 0 || $line eq "quit"} exit
    if {$line eq "scan"} scan
}
fileevent stdin readable command
puts "ready"
flush stdout
"""
DESK = """
label .l -text desk
pack .l
proc command {} {
    if {[gets stdin line] < 0 || $line eq "quit"} exit
    puts [send [lindex $line 0] price [lindex $line 1]]
    flush stdout
}
fileevent stdin readable command
puts "ready"
flush stdout
"""


def play(s):
    number = next(n for n in range(140, 400) if not os.path.exists("/tmp/.X11-unix/X%d" % n) and
                  not os.path.exists("/tmp/.X%d-lock" % n))
    display, auth = ":%d" % number, s.path("auth")
    for name, text in ("clerk.tcl", CLERK), ("desk.tcl", DESK):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["xauth", "-f", auth, "add", display, ".", secrets.token_hex(16)])
    s.start("xvfb", ["Xvfb", display, "-auth", auth, "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    env = {**os.environ, "DISPLAY": display, "XAUTHORITY": auth}
    answers = ["env", "XAUTHORITY=" + auth, "xdpyinfo", "-display", display]
    s.wait("the X server answers", lambda: os.path.exists("/tmp/.X11-unix/X%d" % number))
    for name in "clerk", "bystander":
        s.start(name, ["wish", s.path("clerk.tcl"), name], env=env, talk=True)
        s.wait("its window works", lambda name=name: "ready" in s.output(name), 20)
    for name in "victim", "other_desk":
        s.start(name, ["wish", s.path("desk.tcl")], env=env, talk=True)
        s.wait("its window works", lambda name=name: "ready" in s.output(name), 20)
    s.check("the clerk answers", s.ask("victim", "clerk letter") == "price of letter")
    s.check("the other clerk answers", s.ask("other_desk", "bystander letter") == "price of letter")
    s.ask("clerk", "scan")

    s.begin()
    s.say("victim", "clerk parcel")
    s.during("the clerk sleeps in its loop", lambda: s.state("clerk") == "S" and not s.uses_cpu("clerk", 0.2, 0.2) and
             s.output("clerk").endswith("scans\n"))
    s.during("the victim waits", lambda: "parcel" not in s.output("victim") and s.state("victim") == "S" and
             not s.uses_cpu("victim", 0.2, 0.2))
    s.during("the other clerk answers", lambda: s.ask("other_desk", "bystander stamp") == "price of stamp")
    s.during("the X server answers", lambda: s.out(answers, timeout=5))
    s.hang(victim="victim", culprits=["clerk"], causes=["polling", "timer", "slow-peer"],
           wrong=["xvfb", "bystander", "other_desk", "test"])
    yield
    with open(s.path("scanned"), "w", encoding="ascii"):
        pass
    s.went_on("the answer comes", lambda: "price of parcel" in s.output("victim"))
    for name in "victim", "other_desk", "clerk", "bystander":
        s.say(name, "quit")
        s.ended(name)
