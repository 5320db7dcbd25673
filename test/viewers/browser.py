# SPDX-License-Identifier: GPL-2.0-or-later
"""Opens a page in headless Chromium, and reads its document when all scripts have run."""
import os
import shutil
import subprocess
import sys
import tempfile


def find():
    exe = shutil.which("chromium") or shutil.which("google-chrome")
    if not exe:
        print("SKIP: there is no chromium (Debian: apt-get install chromium)")
        sys.exit(77)
    return exe


def document(exe, url, milliseconds=20000):
    """Returns the document as text. The network is cut off: all names are unknown."""
    with tempfile.TemporaryDirectory(prefix="ctrace-browser-") as home:
        r = subprocess.run([exe, "--headless", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--user-data-dir=" + home,
                            "--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom",
                            "--virtual-time-budget=%d" % milliseconds, url],
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False, env=dict(os.environ, HOME=home))
    return r.stdout.decode("utf-8", "replace")
