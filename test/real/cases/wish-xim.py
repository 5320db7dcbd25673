# SPDX-License-Identifier: GPL-2.0-or-later
"""A window program of Tk does not come up: it asks the input method uim-xim, by way of the X server, and uim-xim is stopped."""
import os
import re
import signal

HELD_OUT = False
NEEDS = {"Xvfb": "xvfb", "xdpyinfo": "x11-utils", "xprop": "x11-utils", "wish": "tk8.6", "uim-xim": "uim-xim"}
WINDOW = """
label .l -text shop
entry .e
pack .l .e
update
puts opened
flush stdout
"""


def play(s):
    with open(s.path("shop.tcl"), "w", encoding="ascii") as f:
        f.write(WINDOW)
    s.start("xvfb", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"])
    s.wait("the X server says its display", lambda: re.search(r"^(\d+)\n", s.output("xvfb"), re.M), 20)
    display = ":" + re.search(r"^(\d+)\n", s.output("xvfb"), re.M).group(1)
    env = {**os.environ, "DISPLAY": display, "HOME": s.where, "XDG_RUNTIME_DIR": s.where, "LC_ALL": "C.UTF-8",
           "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + s.path("bus")}
    s.start("uim", ["uim-xim"], env=env)
    s.wait("uim-xim serves", lambda: "XIM_SERVERS(ATOM) = @server=uim" in s.out(
        ["xprop", "-root", "-display", display, "XIM_SERVERS"]))
    with_uim = {**env, "XMODIFIERS": "@im=uim"}
    for name, its_env in ("bystander", {**env, "XMODIFIERS": "@im=none"}), ("earlier", with_uim):
        s.start(name, ["wish", "shop.tcl"], env=its_env)
        s.wait("the window of %s opens" % name, lambda name=name: "opened" in s.output(name))
    s.processes["uim"][0].send_signal(signal.SIGSTOP)
    s.wait("uim-xim is stopped", lambda: s.state("uim") == "T")

    s.begin()
    victim = s.start("victim", ["wish", "shop.tcl"], env=with_uim)
    s.wait("the victim waits", lambda: s.syscall("victim") in ("poll", "ppoll") and not s.uses_cpu("victim", 0.05))
    s.during("uim-xim is stopped", lambda: s.state("uim") == "T")
    s.during("the victim waits for the X connection", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("poll", "ppoll") and s.output("victim") == "")
    s.during("the X server answers others", lambda: "dimensions" in s.out(["xdpyinfo", "-display", display], timeout=8))
    s.hang(victim="victim", culprits=["uim", "test"], causes=["stopped"], vague=["xvfb"], wrong=["bystander", "earlier"])
    yield
    s.processes["uim"][0].send_signal(signal.SIGCONT)
    s.went_on("the window opens", lambda: "opened" in s.output("victim"))
