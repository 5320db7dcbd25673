# SPDX-License-Identifier: GPL-2.0-or-later
"""expect waits for a question that never comes. rm asks another question on its terminal, and waits for expect's answer."""
import os
import signal

HELD_OUT = False
NEEDS = {"expect": "expect", "rm": "coreutils"}

# The script expects "overwrite", but rm says "remove". SIGUSR1 gives the answer after all.
SCRIPT = """
set timeout -1
spawn rm -i paper
trap {send "y\\r"} SIGUSR1
expect {
    "overwrite" { send "y\\r"; exp_continue }
    eof {}
}
"""


def play(s):
    for name, text in ("script", SCRIPT), ("paper", "hello\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    with open(s.path("letter"), "w", encoding="ascii") as f:
        f.write("hello\n")
    s.start("bystander", ["rm", "-i", "letter"], talk=True)
    s.wait("the other rm asks", lambda: "letter" in s.output("bystander"))

    s.begin()
    victim = s.start("victim", ["expect", "-f", "script"])
    s.wait("rm runs", lambda: s.child("victim", "rm"))
    s.role("rm", s.child("victim", "rm"))
    s.wait("expect shows rm's question", lambda: "remove" in s.output("victim"))
    s.during("rm reads its terminal", lambda: s.syscall("rm") == "read" and
             os.readlink("/proc/%d/fd/0" % s.pid("rm")).startswith("/dev/pts/"))
    s.during("expect waits, and is idle",
             lambda: victim.poll() is None and s.state("victim") == "S" and not s.uses_cpu("victim", 0.02, 0.2))
    s.during("the file is there", lambda: os.path.exists(s.path("paper")))
    s.hang(victim="victim", culprits=["rm", "victim"], causes=["circular-wait", "slow-peer", "external"],
           wrong=["bystander", "test"])
    yield
    victim.send_signal(signal.SIGUSR1)
    s.ended("victim")
    s.check("the file is gone", not os.path.exists(s.path("paper")))
    s.say("bystander", "y")
