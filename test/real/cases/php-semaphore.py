# SPDX-License-Identifier: GPL-2.0-or-later
"""A PHP program waits for a System V semaphore. Another PHP program has it, and waits for a line of input."""
import re

HELD_OUT = True
NEEDS = {"php": "php-cli", "ipcs": "util-linux", "ipcrm": "util-linux"}

CLERK = """<?php
$desk = sem_get((int) $argv[1]);
sem_acquire($desk);
echo "has the desk\\n";
if ($argv[2] === 'slow')
    fgets(STDIN);
sem_release($desk);
"""


def play(s):
    with open(s.path("clerk.php"), "w", encoding="ascii") as f:
        f.write(CLERK)
    keys = {"owner": 0x43540000 + int(s.port()), "bystander": 0x43550000 + int(s.port())}
    for name, key in keys.items():
        s.callback(lambda key=key: s.out(["ipcrm", "-S", hex(key)]))
        s.start(name, ["php", "clerk.php", key, "slow"], talk=True)
        s.wait("%s has its semaphore" % name, lambda name=name: "has" in s.output(name))
    ids = {int(line.split()[0], 16): line.split()[1] for line in s.out(["ipcs", "-s"]).splitlines() if line.startswith("0x")}

    def desk():
        """Returns (value, number of waiting tasks, last pid) of the first semaphore of the owner's set. PHP makes a set
        of three semaphores, and tasks wait for the first one."""
        row = re.search(r"^0 +(\d+) +(\d+) +\d+ +(\d+)", s.out(["ipcs", "-s", "-i", ids[keys["owner"]]]), re.M)
        return tuple(map(int, row.groups()))

    s.check("the owner has the semaphore", desk()[1:] == (0, s.pid("owner")))

    s.begin()
    victim = s.start("victim", ["php", "clerk.php", keys["owner"], "quick"])
    s.wait("a task waits for the semaphore", lambda: desk()[1] == 1)
    s.during("a task waits for the semaphore, and the owner was the last to change it",
             lambda: desk()[1:] == (1, s.pid("owner")))
    s.during("the victim waits in semop", lambda: victim.poll() is None and s.state("victim") == "S" and
             s.syscall("victim") in ("semop", "220"))  # 220: semtimedop
    s.during("the owner waits for a line", lambda: s.state("owner") == "S" and s.syscall("owner") in ("read", "poll"))
    # The test has the other end of the owner's input, and sends no line.
    s.hang(victim="victim", culprits=["owner", "test"], causes=["lock-holder", "external", "slow-peer"], wrong=["bystander"])
    yield
    s.say("owner", "done")
    s.ended("owner")
    s.ended("victim")
    s.check("the victim had the desk", "has" in s.output("victim"))
