# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a user writes a note with the editor nano, a key now and then. nano waits for the next key."""
import os
import re

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"nano": "nano", "script": "bsdutils"}
USER = r"""
n=0
while [ $n -lt 300 ]; do
    n=$((n + 1))
    printf x
    [ $((n % 3)) -eq 0 ] && printf '\017\r'
    sleep 0.7
done
"""


def play(s):
    with open(s.path("user"), "w", encoding="ascii") as f:
        f.write(USER)
    env = {**os.environ, "TERM": "xterm", "HOME": s.where, "LC_ALL": "C"}
    s.start("desk", ["sh", "-c", "sh user | script -qfec 'stty rows 24 cols 80; exec nano -I note' typescript"], env=env)
    s.start("other", ["sh", "-c", "sleep 600 | script -qfec 'stty rows 24 cols 80; exec nano -I letter' other"], env=env)

    def nano(role):
        return [p for p in descendants(s.pid(role)) if proc(p, "comm") == "nano\n"]

    for role in "desk", "other":
        s.wait("nano runs", lambda role=role: nano(role), 30)
        s.role("nano_" + role, nano(role)[0])

    def keys():
        """The keys that the saved note has."""
        with open(s.path("note"), encoding="ascii") as f:
            return len(re.findall("x", f.read()))

    s.wait("the note has some keys", lambda: keys() > 2, 30)
    s.begin()

    def goes_on():
        n = keys()
        s.wait("the note grows", lambda: keys() > n, 6)
        return True

    s.during("the note grows", goes_on)
    s.during("nano mostly waits", lambda: not s.uses_cpu("nano_desk", 0.2))
    s.during("the other nano waits for its user", lambda: s.state("nano_other") == "S" and not os.path.exists(s.path("letter")))
    s.normal(victim="nano_desk", causes=["timer", "external"])
    yield
    n = keys()
    s.went_on("the note grows", lambda: keys() > n)
    s.check("a key came about every 0.7 s", n > 5)
