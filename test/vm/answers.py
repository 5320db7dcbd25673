# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the output of a guest, which has sections with names."""
import json
import re


class Answers:
    """The sections of the output. A method that reads a section adds a complaint to err if the guest did not reach
    this section, or if the command of this section failed."""

    def __init__(self, text, err):
        self.err = err
        self.sections = {}
        for name, body, rc in re.findall(r"@@begin (\S+)\r?\n(.*?)\r?\n@@end \1 (\d+)", text, re.S):
            self.sections[name] = (body, int(rc))

    def text(self, name):
        body, rc = self.sections.get(name, ("", None))
        self.err.want(rc == 0, "%s: %s" % (name, "was not reached" if rc is None else "exit %d: %s" % (rc, body)))
        return body if rc == 0 else None

    def json(self, name):
        body = self.text(name)
        if body is None:
            return None
        try:
            return json.loads(body)
        except json.JSONDecodeError as e:
            self.err.append("%s: not JSON: %s: %s" % (name, e, body[:200]))
            return None

    def key_values(self, name):
        return dict(line.split("=", 1) for line in (self.text(name) or "").splitlines() if "=" in line)
