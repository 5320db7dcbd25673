# SPDX-License-Identifier: GPL-2.0-or-later
"""A strict reader of Prometheus' text format 0.0.4."""
import re
import shutil
import subprocess

SAMPLE = re.compile(r'([a-z_][a-z0-9_]*)(?:\{((?:[a-z_]+="(?:[^"\\]|\\[\\"n])*",?)*)\})? (-?[0-9.e+-]+)$')
TYPES = ("counter", "gauge", "histogram")


def family(name, typed):
    """Returns the metric of the sample `name`. The samples of a histogram M are called M_bucket, M_sum and M_count."""
    base = re.sub(r"_(bucket|sum|count)$", "", name)
    return base if typed.get(base) == "histogram" else name


def check_histograms(found):
    """Checks for each histogram that no bucket is less than the bucket before, and that the last bucket is equal to the
    sample _count."""
    last = {}
    for key, value in found.items():
        m = re.match(r'(.*)_bucket\{(.*),le="([^"]*)"\}$', key)
        if m and m[3] == "+Inf" and value != found.get("%s_count{%s}" % (m[1], m[2])):
            raise ValueError("%s is not the count" % key)
        if m and value < last.get(m.groups()[:2], 0):
            raise ValueError("%s is less than the bucket before" % key)
        if m:
            last[m.groups()[:2]] = value


def read(text):
    """Returns {name{labels}: value} of a whole text. Raises ValueError with the reason if the text is wrong."""
    if not text.endswith("\n"):
        raise ValueError("does not end with a newline")
    helped, typed, done, found = set(), {}, set(), {}
    current = None
    for line in text.splitlines():
        word = line.split(" ", 3)
        if line.startswith("# HELP ") and len(word) == 4 and word[2] not in helped:
            helped.add(word[2])
        elif line.startswith("# TYPE ") and len(word) == 4 and word[2] not in typed and word[3] in TYPES:
            typed[word[2]] = word[3]
        else:
            m = SAMPLE.match(line)
            if not m:
                raise ValueError("not a sample: %r" % line)
            sample, labels, value = m.groups()
            name = family(sample, typed)
            if name not in helped or name not in typed:
                raise ValueError("%s has no HELP or no TYPE before it" % name)
            if (typed[name] == "counter") != name.endswith("_total"):
                raise ValueError("%s is a %s" % (name, typed[name]))
            if name != current and name in done:
                raise ValueError("the samples of %s do not stand together" % name)
            current = name
            done.add(name)
            key = sample + ("{%s}" % labels if labels else "")
            if key in found:
                raise ValueError("%s stands there twice" % key)
            found[key] = float(value)
    if set(typed) != done:
        raise ValueError("without a sample: %s" % sorted(set(typed) - done))
    check_histograms(found)
    return found


def promtool(text):
    """The complaints of promtool; '' if there are none, or no promtool."""
    if not shutil.which("promtool"):
        return ""
    r = subprocess.run(["promtool", "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    return r.stdout.strip() if r.returncode else ""
