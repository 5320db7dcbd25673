# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives a headless Chromium through its DevTools protocol, over two pipes."""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = "chromium", "chromium-browser", "google-chrome"
TIMEOUT_S = 60


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Page:
    """A page, in a browser process of its own. `requests`: URLs that the page loads. `complaints`: errors in the
    console."""

    SHOWS_PRINT = True  # the browser can show the layout for print on the screen
    TOUCHES = True      # the browser can be a phone

    def __init__(self, program, width=1280, height=900, dark=False, phone=False):
        self.requests, self.complaints, self.loaded, self.last, self.rest = [], [], False, 0, b""
        self.dir = tempfile.mkdtemp(prefix="ctrace-browser-")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # the browser reads commands from descriptor 3, and writes answers to descriptor 4
        shell = 'exec "$0" "$@" 3<&%d 4>&%d' % (theirs_in, theirs_out)
        self.process = subprocess.Popen(
            ["bash", "-c", shell, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--user-data-dir=" + self.dir, "--no-first-run", "--disable-background-networking", "about:blank"],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.input, self.output, self.session = ours_out, ours_in, None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Network", "Runtime", "Log":
            self.ask(domain + ".enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1, mobile=phone)
        if phone:
            self.ask("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=TIMEOUT_S)
        os.close(self.input)
        os.close(self.output)
        shutil.rmtree(self.dir, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def event(self, message):
        method, p = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(p["exceptionDetails"])[:400])
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(p["args"])[:400])
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.complaints.append(p["entry"]["text"][:400])

    def read(self):
        """Returns the next message of the browser."""
        while b"\0" not in self.rest:
            if not select.select([self.output], [], [], TIMEOUT_S)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.output, 1 << 16)
            if not data:
                raise EOFError("the browser has ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **params):
        self.last += 1
        request = {"id": self.last, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.input, data):]
        while True:
            message = self.read()
            if message.get("id") == self.last:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.event(message)

    def open(self, path):
        self.loaded = False
        self.ask("Page.navigate", url="file://" + path)
        end = time.monotonic() + TIMEOUT_S
        while not self.loaded and time.monotonic() < end:
            self.event(self.read())

    def js(self, code):
        """Returns the value of an expression, which may be a promise."""
        r = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError("%s: %s" % (code, json.dumps(r["exceptionDetails"])[:400]))
        return r["result"].get("value")

    def pdf(self):
        """Prints the page. Returns the PDF as base64."""
        return self.ask("Page.printToPDF", printBackground=True)["data"]

    def move(self, x, y):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def drag(self, points):
        """Presses the button at the first point, moves to each further one, and releases it at the last one."""
        self.ask("Input.dispatchMouseEvent", type="mousePressed", x=points[0][0], y=points[0][1], button="left", clickCount=1)
        for x, y in points[1:]:
            self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", x=points[-1][0], y=points[-1][1], button="left", clickCount=1)

    def wheel(self, x, y, by):
        self.ask("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)

    def key(self, key):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def touch(self, *steps):
        """Puts fingers on the screen, moves them, and takes them off. A step: the places (x, y) of all fingers."""
        for kind, places in [("touchStart", steps[0])] + [("touchMove", s) for s in steps[1:]] + [("touchEnd", [])]:
            self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)])

    def type(self, text):
        self.ask("Input.insertText", text=text)
