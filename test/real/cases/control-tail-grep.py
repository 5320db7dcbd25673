# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: grep waits for tail -f, which waits for lines of a log. A program writes a line to the log now and then."""
HELD_OUT = False
NEEDS = {"tail": "coreutils", "grep": "grep"}


def play(s):
    log = s.path("log")
    with open(log, "w", encoding="ascii"):
        pass
    s.out(["mkfifo", "pipe"])
    s.start("tail", ["sh", "-c", "exec tail -n +1 -f log >pipe"])
    s.start("grep", ["sh", "-c", "exec grep --line-buffered parcel <pipe"])
    s.wait("tail follows the log", lambda: s.processes["tail"][0].poll() is None and s.state("tail") == "S")

    def lines():
        with open(log, encoding="ascii") as f:
            return f.read().count("parcel"), s.output("grep").count("parcel")

    s.begin()
    s.start("writer", ["sh", "-c", "while :; do echo letter; echo parcel; sleep 0.7; done >log"])
    s.wait("the first lines come", lambda: lines()[1] > 1)
    # A line may be on its way while the test counts.
    s.during("no line is missing", lambda: lines()[0] - lines()[1] <= 1)
    s.during("tail and grep wait for lines", lambda: s.state("tail") in "SR" and s.state("grep") in "SR")
    s.during("grep uses no CPU", lambda: not s.uses_cpu("grep", 0.05))
    s.normal(victim="grep", causes=["timer"])
    yield
    n = lines()[1]
    s.went_on("more lines come", lambda: lines()[1] > n + 1)
    s.check("a line came about each second", n >= s.seconds - 2)
