# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives a headless Firefox through WebDriver BiDi, over a WebSocket."""
import atexit
import json
import os
import re
import select
import shutil
import subprocess
import tempfile
import threading
import time

from websocket import WebSocket

NAMES = "firefox-esr", "firefox"
TIMEOUT_S = 60
KEYS = {"ArrowRight": "\ue014", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowDown": "\ue015", "Enter": "\ue007", "Escape": "\ue00c"}
# %d is 0 for dark colours, 1 for light colours. With the other settings, Firefox makes no connections of its own, and
# opens no page when it starts.
SETTINGS = """user_pref("layout.css.prefers-color-scheme.content-override", %d);
user_pref("browser.startup.page", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("app.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,");
"""


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


def plain(value):
    """A remote value of BiDi as a value of Python."""
    kind, v = value["type"], value.get("value")
    if kind in ("undefined", "null"):
        return None
    if kind == "array":
        return [plain(x) for x in v]
    if kind == "object":
        return {k: plain(x) for k, x in v}
    return float(v) if kind == "number" and isinstance(v, str) else v


class Firefox:
    """One browser that opens several pages, because the start of a browser takes long."""

    def __init__(self, program, dark):
        self.dir, self.last, self.page = tempfile.mkdtemp(prefix="ctrace-browser-"), 0, None
        with open(os.path.join(self.dir, "user.js"), "w", encoding="ascii") as f:
            f.write(SETTINGS % (0 if dark else 1))
        self.process = subprocess.Popen([program, "--headless", "--no-remote", "--profile", self.dir, "--remote-debugging-port", "0", "about:blank"],
                                        env=dict(os.environ, HOME=self.dir), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        atexit.register(self.close)
        port = self.port()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()  # Firefox must not wait for a reader
        for last in [False] * 4 + [True]:
            self.socket = WebSocket(port, "/session", TIMEOUT_S)
            try:
                self.ask("session.new", capabilities={})
                break
            except EOFError:  # at its start, Firefox may drop a connection
                if last:
                    raise
                time.sleep(1)
        self.ask("session.subscribe", events=["network.beforeRequestSent", "log.entryAdded"])

    def port(self):
        """Firefox prints the number of its port."""
        said, end = b"", time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            if select.select([self.process.stderr], [], [], 1)[0]:
                said += os.read(self.process.stderr.fileno(), 1 << 16)
            found = re.search(rb"BiDi listening on ws://[^:]*:(\d+)", said)
            if found:
                return int(found.group(1))
        raise TimeoutError("Firefox does not listen: %r" % said)

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=TIMEOUT_S)
        shutil.rmtree(self.dir, ignore_errors=True)

    def ask(self, method, **params):
        self.last += 1
        self.socket.write(json.dumps({"id": self.last, "method": method, "params": params}).encode())
        while True:
            message = json.loads(self.socket.read())
            if message.get("id") == self.last:
                if message["type"] == "error":
                    raise RuntimeError("%s: %s: %s" % (method, message["error"], message["message"]))
                return message["result"]
            if self.page:
                self.page.event(message)


class Page:
    """Like chrome.Page, but a tab in a browser that the pages share."""

    SHOWS_PRINT = False  # the browser can show the layout for print on the screen
    TOUCHES = False      # the browser can be a phone

    browsers = {}

    def __init__(self, program, width=1280, height=900, dark=False):
        self.requests, self.complaints = [], []
        self.browser = Page.browsers.get(dark) or Firefox(program, dark)
        Page.browsers[dark] = self.browser
        self.context = self.browser.ask("browsingContext.create", type="tab")["context"]
        self.browser.page = self
        self.ask("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def close(self):
        self.browser.page = None
        self.ask("browsingContext.close", context=self.context)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, method, **params):
        return self.browser.ask(method, **params)

    def event(self, message):
        method, p = message.get("method"), message.get("params", {})
        if method == "network.beforeRequestSent":
            url = p["request"]["url"]
            if not url.startswith("data:"):  # a data: URL makes no request; Firefox has a font of its own in such a URL
                self.requests.append(url)
        elif method == "log.entryAdded" and p["level"] in ("error", "warn"):
            self.complaints.append("%s" % (p.get("text") or p)[:400])

    def open(self, path):
        """Firefox reports requests to the network, but not for files. So `requests` gets the page itself here."""
        self.ask("browsingContext.navigate", context=self.context, url="file://" + path, wait="complete")
        self.requests.insert(0, self.js("document.URL"))

    def js(self, code):
        """Returns the value of an expression, which may be a promise."""
        r = self.ask("script.evaluate", expression=code, target={"context": self.context}, awaitPromise=True)
        if r["type"] == "exception":
            raise RuntimeError("%s: %s" % (code, r["exceptionDetails"]["text"]))
        return plain(r["result"])

    def act(self, kind, *actions):
        self.ask("input.performActions", context=self.context, actions=[{"type": kind, "id": kind, "actions": list(actions)}])

    def pdf(self):
        return self.ask("browsingContext.print", context=self.context, background=True)["data"]

    def move(self, x, y):
        self.act("pointer", {"type": "pointerMove", "x": round(x), "y": round(y)})

    def drag(self, points):
        moves = [{"type": "pointerMove", "x": round(x), "y": round(y)} for x, y in points]
        self.act("pointer", moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0})

    def wheel(self, x, y, by):
        self.act("wheel", {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": by})

    def key(self, key):
        self.type([KEYS.get(key, key)])

    def type(self, text):
        self.act("key", *({"type": kind, "value": c} for c in text for kind in ("keyDown", "keyUp")))
