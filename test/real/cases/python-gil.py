# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a Python server. A thread of the server computes in a regular expression, and
keeps Python's lock (GIL)."""
from scene import proc

HELD_OUT = False
NEEDS = {"python3": "python3", "curl": "curl"}

SHOP = """
import http.server, re, sys, threading, time

def search(n):
    began = time.monotonic()
    re.search("x*y", "x" * n)
    return time.monotonic() - began

class Shop(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        said, (page, *n) = b"hello", self.path[1:].split("/")
        if page == "search":
            print("searches", threading.get_native_id(), flush=True)
            said = b"%.3f" % search(int(n[0]))
        elif page == "idle":
            print("idles", threading.get_native_id(), flush=True)
            idle.wait()
        elif page == "enough":
            idle.set()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(said)

idle = threading.Event()
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop).serve_forever()
"""
TRIAL = 15000


def play(s):
    port = s.port()
    with open(s.path("shop.py"), "w", encoding="ascii") as f:
        f.write(SHOP)
    s.start("shop", ["python3", "shop.py", port])
    s.wait("the server answers", lambda: s.connects(port))

    def curl(page):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("the server answers", s.out(curl("hello")) == "hello")
    took = min(float(s.out(curl("search/%d" % TRIAL))) for _ in range(3))
    turns = int(TRIAL * (10 / max(took, 0.001)) ** 0.5)  # about 10 s
    idler = s.start("idler", curl("idle"))
    s.wait("a thread is idle", lambda: "idles" in s.output("shop"))
    s.role("idle_thread", s.pid("shop"), int(s.output("shop").split()[-1]))

    def searches():
        return [int(line.split()[1]) for line in s.output("shop").splitlines() if line.startswith("searches")]

    s.begin()
    looker = s.start("looker", curl("search/%d" % turns))
    s.wait("a thread searches", lambda: len(searches()) == 4 and s.role("searcher", s.pid("shop"), searches()[-1]) and
           s.uses_cpu("searcher", 0.3, 0.2))
    used = {t: proc(s.pid("shop"), "schedstat", t).split()[0] for t in s.threads("shop")}
    victim = s.start("victim", curl("hello"))
    s.wait("curl waits", lambda: s.syscall("victim") in ("poll", "ppoll"))
    s.during("the thread searches", lambda: looker.poll() is None and s.uses_cpu("searcher", 0.2))
    # While the main thread waits for the lock, it wakes every 5 ms.
    s.during("the main thread waits for the lock", lambda: [s.syscall("shop") for _ in range(20)].count("futex") > 10)
    s.during("curl waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.during("the idle thread waits, and its client too", lambda: idler.poll() is None and
             s.syscall("idle_thread") == "futex" and
             proc(s.pid("shop"), "schedstat", s.roles["idle_thread"][1]).split()[0] == used[s.roles["idle_thread"][1]])
    s.hang(victim="victim", culprits=["searcher"], causes=["busy", "lock-holder"], stuck=["shop"],
           vague=["looker"], wrong=["idle_thread", "idler", "test"])
    yield
    s.wait("the search ends", lambda: looker.poll() is not None, 30)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "hello")
    s.out(curl("enough"))
    s.ended("idler")
