# SPDX-License-Identifier: GPL-2.0-or-later
"""Real programs for bench/check/run. Each context manager yields an old command, a new command, and a function. The new
command is slower for a known cause, for example because a database has no index. The function gets one part of the
result of the check, and returns true if this part names the cause. A context manager raises Missing if the machine
lacks its program."""
import contextlib
import http.server
import multiprocessing
import os
import shutil
import subprocess
import time
import urllib.request


class Missing(Exception):
    pass


def need(*programs):
    for p in programs:
        if not shutil.which(p):
            raise Missing("%s is not installed" % p)


@contextlib.contextmanager
def sqlite(where):
    """Old command: queries to an SQLite database that has an index. New command: the same queries without the index."""
    need("sqlite3")
    rows = "\n".join("INSERT INTO orders VALUES(%d, %d, 'item %d');" % (i, i * 7919 % 20000, i) for i in range(20000))
    for name, index in (("with.db", "CREATE INDEX by_customer ON orders(customer);"), ("without.db", "")):
        path = os.path.join(where, name)
        if os.path.exists(path):
            os.unlink(path)
        subprocess.run(["sqlite3", path], input="BEGIN; CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INT, item TEXT);\n%s\n%s COMMIT;" % (
            rows, index), text=True, check=True)
    query = " ".join("SELECT item FROM orders WHERE customer = %d;" % (i * 31) for i in range(20))
    yield (["sqlite3", "with.db", query], ["sqlite3", "without.db", query],
           lambda part: part["kind"] == "running" and part["text"].startswith("sqlite3 running"))


class Upstream(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(0.004 if self.path == "/slow" else 0.002)
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")

    def log_message(self, *_):
        pass


def serve(port):
    with open("/proc/self/comm", "w", encoding="ascii") as f:
        f.write("upstream")
    http.server.ThreadingHTTPServer(("127.0.0.1", port), Upstream).serve_forever()


NGINX = """daemon off; pid %(dir)s/nginx.pid; error_log %(dir)s/error.log; worker_processes 1;
events { worker_connections 64; }
http { access_log off; client_body_temp_path %(dir)s/b; proxy_temp_path %(dir)s/p; fastcgi_temp_path %(dir)s/f;
  uwsgi_temp_path %(dir)s/u; scgi_temp_path %(dir)s/s;
  server { listen 127.0.0.1:18081; location / { proxy_pass http://127.0.0.1:18082; } } }
"""


@contextlib.contextmanager
def nginx(where):
    """curl loads 20 pages from nginx. For each page, nginx asks an upstream server, which sleeps for 2 ms (new command: 4 ms).

    Only curl is part of the commands. Both servers run already."""
    need("curl")
    exe = shutil.which("nginx") or "/usr/sbin/nginx"
    if not os.path.exists(exe):
        raise Missing("nginx is not installed")
    place = os.path.join(where, "nginx")
    os.makedirs(place, exist_ok=True)
    conf = os.path.join(place, "nginx.conf")
    with open(conf, "w", encoding="ascii") as f:
        f.write(NGINX % {"dir": place})
    upstream = multiprocessing.Process(target=serve, args=(18082,), daemon=True)
    upstream.start()
    with subprocess.Popen([exe, "-c", conf, "-p", place], stderr=subprocess.DEVNULL) as server:
        try:
            for _ in range(100):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen("http://127.0.0.1:18081/fast", timeout=5).close()
                    break
                time.sleep(0.05)
            yield (["curl", "-s"] + ["http://127.0.0.1:18081/fast"] * 20, ["curl", "-s"] + ["http://127.0.0.1:18081/slow"] * 20,
                   lambda part: part["kind"] == "timer" and "upstream" in part["text"])
        finally:
            server.terminate()
            upstream.terminate()


@contextlib.contextmanager
def gcc(where):
    need("gcc")
    with open(os.path.join(where, "many.c"), "w", encoding="ascii") as f:
        for i in range(60):
            f.write("int f%d(const int *v, int n) { int s = %d; for (int i = 0; i < n; i++) { if (v[i] %% %d) s += v[i] * %d; else s ^= v[i] >> 2; } return s; }\n" % (
                i, i, i + 2, i + 3))
    yield (["gcc", "-O0", "-c", "-o", "many.o", "many.c"], ["gcc", "-O2", "-c", "-o", "many.o", "many.c"],
           lambda part: part["kind"] == "running" and part["text"].startswith("cc1 running"))


PROGRAMS = {"sqlite3 without an index": sqlite, "nginx with a slower upstream": nginx, "gcc -O2 in place of -O0": gcc}
