# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: three shells take turns with a file lock. Each keeps it for 20 ms, about three times a second."""
HELD_OUT = True
NEEDS = {"flock": "util-linux", "sh": "dash"}
SHELLS = 3
TURNS = "i=0; while :; do flock turn.lock sleep 0.02; i=$((i + 1)); echo turn $i; sleep 0.3; done"


def play(s):
    s.begin()
    for i in range(SHELLS):
        s.start("shell%d" % i, ["sh", "-c", TURNS])

    def turns():
        return [s.output("shell%d" % i).count("\n") for i in range(SHELLS)]

    s.wait("each shell had its turn", lambda: min(turns()) > 1)
    seen = [turns()]

    def all_go_on():
        """Each shell has a turn within two seconds."""
        s.wait("each shell had a turn", lambda: all(now > before for now, before in zip(turns(), seen[0])), 2)
        seen[0] = turns()
        return True

    s.during("each shell goes on", all_go_on)
    # The shells sleep on purpose between two turns.
    s.normal(victim="shell0", causes=["timer"])
    yield
    s.went_on("the turns go on", all_go_on)
    s.check("each shell had two turns a second", min(turns()) >= 2 * s.seconds)
