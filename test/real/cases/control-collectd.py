# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: collectd measures the load once a second, and its write threads wait for the values and put them into a file."""
import glob
import os

HELD_OUT = False
NEEDS = {"collectd": "collectd-core"}
CONFIG = """Hostname "shop"
FQDNLookup false
BaseDir "{w}/base"
PIDFile "{w}/pid"
TypesDB "/usr/share/collectd/types.db"
Interval 1
ReadThreads 2
WriteThreads 2
LoadPlugin load
LoadPlugin csv
<Plugin csv>
  DataDir "{w}/csv"
</Plugin>
"""


def play(s):
    os.mkdir(s.path("base"))
    with open(s.path("collectd.conf"), "w", encoding="ascii") as f:
        f.write(CONFIG.format(w=s.where))
    s.start("collectd", ["collectd", "-f", "-C", s.path("collectd.conf")])

    def values():
        n = 0
        for path in glob.glob(s.path("csv/shop/load/load-*")):
            with open(path, encoding="ascii") as f:
                n += len(f.readlines()) - 1
        return n

    s.wait("the first values are there", lambda: values() > 0)

    s.begin()

    def goes_on():
        n = values()
        s.wait("more values come", lambda: values() > n, 4)
        return True

    s.during("values come", goes_on)
    s.during("collectd uses almost no CPU", lambda: not s.uses_cpu("collectd", 0.1))
    s.normal(victim="collectd", causes=["timer", "external"])
    yield
    n = values()
    s.went_on("more values come", lambda: values() > n)
    s.check("about one value came each second", n >= 0.6 * s.seconds)
