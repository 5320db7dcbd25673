# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: bc is a coprocess of a bash script. It waits for the next sum of the script, which comes about each 0.5 s, and gives
its result at once."""
import re

HELD_OUT = True
NEEDS = {"bash": "bash", "bc": "bc"}
SHOP = """
coproc BC { exec bc -q; }
for ((i = 1; ; i++)); do
    echo "$i * 17" >&"${BC[1]}"
    read -r total <&"${BC[0]}"
    echo "total $i $total"
    sleep 0.5
done
"""


def play(s):
    with open(s.path("shop"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.start("bystander", ["bc", "-q"], talk=True)
    s.start("shop", ["bash", "shop"])

    def totals():
        return s.output("shop").count("total")

    s.wait("the first results are there", lambda: totals() > 1)
    s.role("bc", s.child("shop", "bc"))
    first = totals()

    s.begin()

    def goes_on():
        n = totals()
        s.wait("a result comes", lambda: totals() > n, 3)
        return True

    s.during("results come", goes_on)
    s.during("bc mostly waits", lambda: not s.uses_cpu("bc", 0.1, 0.2))
    s.during("the other bc has no sum", lambda: s.state("bystander") == "S")
    s.normal(victim="bc", causes=["timer", "external"])
    yield
    n = totals()
    s.check("a result came about each second", n - first >= s.seconds - 2)
    s.check("the results are right", all(int(b) == 17 * int(a) for a, b in
                                         re.findall(r"total (\d+) (\d+)\n", s.output("shop"))))
    s.went_on("more results come", lambda: totals() > n)
