# SPDX-License-Identifier: GPL-2.0-or-later
"""Gets packages of npm, for tests in browsers and in other viewers."""
import os
import shutil
import subprocess
import sys


def missing(where, package):
    """Lets npm put a package such as "speedscope@1" into the directory `where`, if it is not there. Returns None, or why it
    cannot be had."""
    if os.path.isdir(os.path.join(where, "node_modules", package.rsplit("@", 1)[0])):
        return None
    if not shutil.which("npm"):
        return "there is no npm (Debian: apt-get install npm)"
    r = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", where, package], stdin=subprocess.DEVNULL,
                       capture_output=True, check=False, timeout=900)
    return "npm cannot fetch %s: %s" % (package, r.stderr.decode("utf-8", "replace")[-300:]) if r.returncode else None


def fetch(where, package):
    """Returns the directory node_modules that has the package. Ends the test if the package cannot be had."""
    why = missing(where, package)
    if why:
        print("SKIP: " + why)
        sys.exit(77)
    return os.path.join(where, "node_modules")
