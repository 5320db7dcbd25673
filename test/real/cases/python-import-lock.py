# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread of a Python program waits for the lock of a module that another thread imports. The code of the module asks a
price server, a second Python program, which SIGSTOP has stopped."""
import os
import signal

HELD_OUT = False
NEEDS = {"python3": "python3", "curl": "curl"}
PRICES = """
import urllib.request
with urllib.request.urlopen("http://127.0.0.1:%s/pub/list", timeout=100) as f:
    parcel = int(f.read())
"""
SHOP = """
import http.server, sys, threading
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = "other" if self.path == "/about" else "prices"
        threading.current_thread().name = name
        print(threading.get_native_id(), self.path, flush=True)
        import os
        if self.path != "/about":
            import prices
            text = "parcel %d\\n" % prices.parcel
        else:
            text = "a shop\\n"
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *a):
        pass
print(threading.get_native_id(), "main", flush=True)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Page).serve_forever()
"""


def play(s):
    port, back, other = s.port(), s.port(), s.port()
    os.mkdir(s.path("pub"))
    for name, text in ("prices.py", PRICES % back), ("shop.py", SHOP), ("pub/list", "17\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    for name, number in ("prices", back), ("bystander", other):
        s.start(name, ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", number])
        s.wait("the server listens", lambda number=number: s.connects(number), 20)
    s.start("shop", ["/usr/bin/python3", "-B", "shop.py", port])
    s.wait("the shop listens", lambda: s.connects(port))

    def get(page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (port, page)]

    def tid(page):
        return int(next(line.split()[0] for line in s.output("shop").splitlines() if line.endswith(page)))

    s.check("the page without prices comes", s.out(get("about")) == "a shop")
    os.kill(s.pid("prices"), signal.SIGSTOP)
    s.wait("the price server stops", lambda: s.state("prices") == "T")
    s.start("first", get("first"))
    s.wait("a thread imports", lambda: "/first" in s.output("shop"))
    s.role("importer", s.pid("shop"), tid("/first"))
    s.wait("it waits for the price server", lambda: s.syscall("importer") in ("recvfrom", "poll"))

    s.begin()
    victim = s.start("victim", get("second"))
    s.wait("a second thread serves the victim", lambda: "/second" in s.output("shop"))
    s.role("thread", s.pid("shop"), tid("/second"))
    s.wait("it waits for a lock", lambda: s.syscall("thread") == "futex")
    s.during("the thread of the victim waits for a lock", lambda: s.syscall("thread") == "futex" and s.state("thread") == "S")
    s.during("the importer waits for its socket", lambda: s.syscall("importer") in ("recvfrom", "poll") and
             s.state("importer") == "S")
    s.during("the price server is stopped", lambda: s.state("prices") == "T")
    s.during("the victim waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.during("other pages come", lambda: s.out(get("about"), timeout=5) == "a shop")
    s.hang(victim="victim", culprits=["prices", "test"], causes=["stopped"], vague=["importer", "shop"], stuck=["thread"],
           wrong=["bystander", "first"])
    yield
    os.kill(s.pid("prices"), signal.SIGCONT)
    s.ended("victim")
    s.check("the price came", s.output("victim") == "parcel 17\n")
