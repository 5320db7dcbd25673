# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program waits in a send of ZeroMQ, because the queue to its clerk is full (high-water mark). The clerk stands at a
breakpoint: its debugger, pdb, waits for a command of its user."""
import subprocess

from scene import Missing

HELD_OUT = False
NEEDS = {"/usr/bin/python3": "python3"}
PYTHON = "/usr/bin/python3"
SHOP = """
import sys
import zmq

push = zmq.Context().socket(zmq.PUSH)
push.sndhwm = 2
push.connect("ipc://parcels")
n = 0
for line in sys.stdin:
    for _ in range(int(line)):
        n += 1
        push.send(b"%d " % n + b"x" * 1000000)
    print("sent", n, flush=True)
"""
CLERK = """
import zmq

pull = zmq.Context().socket(zmq.PULL)
pull.rcvhwm = 2
pull.bind("ipc://parcels")
print("ready", flush=True)
while True:
    n = int(pull.recv().split()[0])
    print("got", n, flush=True)
    if n == 6:
        breakpoint()
    if n == 60:
        break
"""


def play(s):
    if subprocess.run([PYTHON, "-c", "import zmq"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package python3-zmq")
    for name, text in ("shop.py", SHOP), ("clerk.py", CLERK):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("clerk", [PYTHON, "clerk.py"], talk=True)
    s.wait("the clerk is ready", lambda: "ready" in s.output("clerk"), 40)
    shop = s.start("shop", [PYTHON, "shop.py"], talk=True)
    s.start("idle", [PYTHON, "-c", "breakpoint()"], talk=True)
    s.wait("the idle program stands at its breakpoint", lambda: "(Pdb)" in s.output("idle"), 40)
    s.say("shop", "5")
    s.wait("the first parcels are there", lambda: "got 5" in s.output("clerk") and "sent 5" in s.output("shop"), 40)

    s.begin()
    s.say("shop", "55")
    s.wait("the clerk stands at its breakpoint", lambda: "(Pdb)" in s.output("clerk"))
    s.wait("the shop waits for its queue", lambda: s.syscall("shop") == "poll" and not s.uses_cpu("shop", 0.02, 0.2))
    s.during("the clerk reads a command of its user", lambda: s.syscall("clerk") == "read" and s.state("clerk") == "S" and
             s.output("clerk").rstrip().endswith("(Pdb)"))
    s.during("the shop waits in its send", lambda: shop.poll() is None and s.state("shop") == "S" and
             s.syscall("shop") == "poll" and "sent 60" not in s.output("shop"))
    s.during("the clerk got no more", lambda: "got 6\n" in s.output("clerk") and "got 7\n" not in s.output("clerk"))
    # The test is the user.
    s.hang(victim="shop", culprits=["clerk", "test"], causes=["external", "slow-peer"], wrong=["idle"])
    yield
    s.say("clerk", "c")
    s.went_on("all parcels are sent", lambda: "sent 60" in s.output("shop"))
    shop.stdin.close()
    s.ended("shop")
    s.wait("all parcels arrived", lambda: "got 60\n" in s.output("clerk"))
