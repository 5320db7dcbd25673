# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes measurements into a page: tables, the limit for each measured value (its budget, doc/performance.md), and a
description of the machine."""
import collections
import os
import platform
import subprocess
import time

BEGIN, END = "<!-- %s writes from here -->", "<!-- to here -->"

BUDGETS = {
    "record": "<= 170 ns",
    "idle": "<= 0.1 %",
    "daemon": "<= 0.5 % at 50 000/s",
    "daemon_full": "<= 4 % at 1 M/s",
    "memory": "<= 64 MiB + 1 MiB a CPU",
    "bytes": "<= 5 on a busy machine",
    "encode": ">= 5 M/s",
    "decode": ">= 20 M/s",
    "graph": "<= 2 s, <= 400 MB",
    "snapshot": "<= 300 ms, 0",
    "diagnose": "<= 1 s",
    "ready": "<= 300 ms",
    "short_record": "<= 400 ms",
}


class Row(collections.namedtuple("Row", "what measured budget")):
    def cells(self):
        return [self.what, self.measured, BUDGETS[self.budget] if self.budget else ""]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, r)) + " |" for r in rows])


def first(path, key, default="?"):
    try:
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.startswith(key):
                    return line.partition(":" if ":" in line else "=")[2].strip().strip('"')
    except OSError:
        pass
    return default


def machine():
    virt = subprocess.run(["systemd-detect-virt"], capture_output=True, text=True, check=False) \
        if os.path.exists("/usr/bin/systemd-detect-virt") else None
    kib = int(first("/proc/meminfo", "MemTotal", "0 kB").split()[0])
    return ("%s; %s, %d CPUs%s, %d GiB; Linux %s, %s; load %.1f before it began." % (
        time.strftime("%Y-%m-%d"), first("/proc/cpuinfo", "model name", platform.machine()), os.cpu_count(),
        " (virtual: %s)" % virt.stdout.strip() if virt and virt.returncode == 0 else "", round(kib / 2**20),
        platform.release(), first("/etc/os-release", "PRETTY_NAME"), LOAD))


LOAD = os.getloadavg()[0]


def write_page(path, text, by):
    """Replaces the text of the page between the line "`by` writes from here" and the line "to here"."""
    begin = BEGIN % by
    with open(path, encoding="utf-8") as f:
        page = f.read()
    head, _, rest = page.partition(begin)
    tail = rest.partition(END)[2]
    with open(path, "w", encoding="utf-8") as f:
        f.write("%s%s\n%s\n%s%s" % (head, begin, text, END, tail))
