# SPDX-License-Identifier: GPL-2.0-or-later
"""logger waits, because the queue of a log's datagram socket is full. SIGSTOP has stopped the socat that reads it."""
import os
import signal

HELD_OUT = True
NEEDS = {"logger": "bsdutils", "socat": "socat"}
LINES = 2000  # more than the queue of a socket can have (net.unix.max_dgram_qlen)


def play(s):
    with open("/proc/sys/net/unix/max_dgram_qlen", encoding="ascii") as f:
        s.check("the queue is shorter than the text", int(f.read()) < LINES)
    with open(s.path("text"), "w", encoding="ascii") as f:
        f.writelines("parcel %d\n" % i for i in range(LINES))
    for name in "receiver", "bystander":
        s.start(name, ["socat", "-u", "UNIX-RECV:%s.sock" % name, "CREATE:%s.log" % name])
        s.wait("%s has its socket" % name, lambda name=name: os.path.exists(s.path(name + ".sock")))

    def log(name, *args):
        return ["logger", "-d", "-u", s.path(name + ".sock"), "--socket-errors=on", *args]

    def lines(name):
        with open(s.path(name + ".log"), encoding="utf-8", errors="replace") as f:
            return f.read().count("parcel")

    for name in "receiver", "bystander":
        s.out(log(name, "parcel 0"))
        s.wait("%s writes its log" % name, lambda name=name: lines(name) == 1)

    s.begin()
    s.processes["receiver"][0].send_signal(signal.SIGSTOP)
    s.wait("the receiver stops", lambda: s.state("receiver") == "T")
    victim = s.start("victim", log("receiver", "-f", "text"))
    s.wait("logger waits in a send", lambda: s.syscall("victim") in ("sendmsg", "sendto"))
    s.during("the receiver is stopped", lambda: s.state("receiver") == "T" and lines("receiver") == 1)
    s.during("logger waits in a send", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("sendmsg", "sendto"))
    s.hang(victim="victim", culprits=["receiver", "test"], causes=["stopped"], wrong=["bystander"])
    yield
    s.processes["receiver"][0].send_signal(signal.SIGCONT)
    s.ended("victim")
    s.wait("the log is whole", lambda: lines("receiver") == 1 + LINES)
