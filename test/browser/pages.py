# SPDX-License-Identifier: GPL-2.0-or-later
"""Pages in a headless Chromium or Firefox, driven by puppeteer-core."""
import atexit
import json
import os
import select
import shutil
import subprocess
import sys

import npm

HERE = os.path.dirname(os.path.abspath(__file__))
PUPPETEER = "puppeteer-core@24"
NAMES = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}
TIMEOUT_S = 90


class Browser:
    """A browser, which runs until this program ends. `name`: a key of NAMES. `packages`: a directory for packages of npm.
    Ends the test if the browser or puppeteer-core cannot be had."""

    def __init__(self, name, packages):
        self.program = next((path for path in map(shutil.which, NAMES[name]) if path), None)
        if not self.program:
            print("SKIP: no browser: none of %s is installed" % ", ".join(NAMES[name]))
            sys.exit(77)
        self.puppeteer = os.path.join(npm.fetch(packages, PUPPETEER), "puppeteer-core")
        self.kind = "chrome" if name == "chromium" else name
        self.full = name == "chromium"  # the browser can be a phone, and can show the layout for print on the screen
        self.drivers = {}

    def page(self, width=1280, height=900, dark=False, phone=False):
        """Opens an empty page. One page at a time."""
        if dark not in self.drivers:
            self.drivers[dark] = Driver(self.puppeteer, self.kind, self.program)
        return Page(self.drivers[dark], width, height, dark, phone)


class Driver:
    """A process of driver.js, with a browser of its own."""

    def __init__(self, *args):
        self.process = subprocess.Popen(["node", os.path.join(HERE, "driver.js"), *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        atexit.register(self.end)

    def end(self):
        self.process.stdin.close()  # the driver then ends its browser
        try:
            self.process.wait(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def ask(self, command, **args):
        self.process.stdin.write(json.dumps({"command": command, **args}).encode() + b"\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], TIMEOUT_S)[0]:
            raise TimeoutError("the browser does not answer: %s" % command)
        line = self.process.stdout.readline()
        if not line:
            raise EOFError("the driver of the browser has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError("%s %s: %s" % (command, args, answer["error"]))
        return answer["value"]


class Page:
    def __init__(self, driver, width, height, dark, phone):
        self.ask, self.dark = driver.ask, dark
        self.ask("create", width=width, height=height, dark=dark, phone=phone)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ask("close")

    def requests(self):
        """The URLs that the page has loaded."""
        return self.ask("seen")["requests"]

    def complaints(self):
        """The errors and warnings in the console."""
        return self.ask("seen")["complaints"]

    def open(self, path):
        self.ask("open", path=path)

    def js(self, code):
        """Returns the value of an expression, which may be a promise."""
        return self.ask("js", code=code)

    def pdf(self):
        """Prints the page. Returns the PDF as base64."""
        return self.ask("pdf")

    def media(self, kind):
        """Shows the layout for a kind of media, such as "print". "": that of the screen."""
        self.ask("media", media=kind, dark=self.dark)

    def move(self, x, y):
        self.ask("move", x=x, y=y)

    def drag(self, points):
        """Presses the button at the first point, moves to each further one, and releases it at the last one."""
        self.ask("drag", points=points)

    def wheel(self, x, y, by):
        self.ask("wheel", x=x, y=y, by=by)

    def key(self, key):
        self.ask("key", key=key)

    def touch(self, *steps):
        """Puts fingers on the screen, moves them, and takes them off. A step: the places (x, y) of all fingers."""
        self.ask("touch", steps=steps)

    def type(self, text):
        self.ask("type", text=text)
