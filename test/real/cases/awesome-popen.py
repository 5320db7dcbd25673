# SPDX-License-Identifier: GPL-2.0-or-later
"""dbus-send asks the window manager awesome something. awesome waits for the program of its weather widget, a wget,
and the weather server that should answer wget sleeps."""
import os

from scene import Invalid, descendants, proc

HELD_OUT = True
NEEDS = {"Xvfb": "xvfb", "awesome": "awesome", "dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin", "wget": "wget",
         "perl": "perl", "ss": "iproute2"}
RC = """
local awful = require("awful")
require("awful.remote")
function weather(port)
    local p = io.popen("wget -q -O - http://127.0.0.1:" .. port .. "/weather")
    local answer = p:read("*a")
    p:close()
    return answer
end
"""
SERVER = """
use IO::Socket::INET;
my ($port, $delay) = @ARGV;
my $l = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', LocalPort => $port, ReuseAddr => 1) or die;
while (my $c = $l->accept) {
    my $line = <$c> // next;
    sleep $delay;  # be kind to the service where the weather comes from
    print $c "HTTP/1.0 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nsunny";
    close $c;
}
"""


def play(s):
    port, fast = s.port(), s.port()
    for name, text in ("rc.lua", RC), ("server.pl", SERVER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.mkdir(s.path("home"))
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
    s.wait("the X server says its display", lambda: s.output("xvfb").endswith("\n") and
           s.output("xvfb").split()[-1].isdigit())
    address = "unix:path=" + s.path("bus")
    env = {**os.environ, "DISPLAY": ":" + s.output("xvfb").split()[-1], "DBUS_SESSION_BUS_ADDRESS": address,
           "HOME": s.path("home"), "XDG_CONFIG_HOME": s.path("home"), "no_proxy": "127.0.0.1"}
    s.start("bus", ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address])
    s.wait("the bus is there", lambda: os.path.exists(s.path("bus")))
    s.start("weather", ["perl", s.path("server.pl"), port, s.seconds + 3])
    s.start("bystander", ["perl", s.path("server.pl"), fast, 0])
    s.wait("the servers listen", lambda: s.connects(port) and s.connects(fast))
    s.start("awesome", ["awesome", "-c", s.path("rc.lua")], env=env)

    def call(lua):
        return ["dbus-send", "--bus=" + address, "--print-reply", "--reply-timeout=60000",
                "--dest=org.awesomewm.awful", "/", "org.awesomewm.awful.Remote.Eval", "string:" + lua]

    def answer(lua):
        try:
            return s.out(call(lua), timeout=5)
        except Invalid as e:  # awesome is not ready yet
            raise ValueError(e) from None

    s.wait("awesome answers", lambda: "double 2" in answer("return 1 + 1"), 20)
    s.check("the weather widget works", "sunny" in s.out(call("return weather(%s)" % fast)))

    s.begin()
    s.start("widget", call("return weather(%s)" % port))
    s.wait("wget runs", lambda: [p for p in descendants(s.pid("awesome")) if proc(p, "comm") == "wget\n"])
    s.role("wget", [p for p in descendants(s.pid("awesome")) if proc(p, "comm") == "wget\n"][0])
    victim = s.start("victim", call("return 1 + 1"))
    s.wait("the server sleeps", lambda: s.syscall("weather") == "clock_nanosleep")
    s.during("the weather server sleeps",
             lambda: s.state("weather") == "S" and s.syscall("weather") == "clock_nanosleep")
    s.during("wget has a connection with the server", lambda: "pid=%d," % s.pid("wget") in s.out(
        ["ss", "-tnpH", "state", "established", "dport", "=", ":" + port]))
    s.during("awesome reads the output of wget",
             lambda: s.syscall("awesome") == "read" and "pipe" in s.wchan("awesome"))
    s.during("dbus-send waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the bus works", lambda: "awesomewm" in s.out(
        ["dbus-send", "--bus=" + address, "--print-reply", "--dest=org.freedesktop.DBus", "/",
         "org.freedesktop.DBus.ListNames"]))
    s.hang(victim="victim", culprits=["weather"], causes=["timer"], vague=["wget", "awesome"],
           wrong=["bystander", "widget", "bus", "xvfb", "test"])
    yield
    s.ended("victim")
    s.check("awesome has answered", "double 2" in s.output("victim"))
