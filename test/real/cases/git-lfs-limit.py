# SPDX-License-Identifier: GPL-2.0-or-later
"""git checkout waits for its filter, git-lfs. git-lfs gets a big file from a web server. nginx sends it slowly on purpose
(limit_rate): it sleeps between the parts of the file."""
import hashlib
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"git": "git", "git-lfs": "git-lfs", "nginx": "nginx", "curl": "curl", "python3": "python3"}
RATE = 40 << 10
NGINX = """daemon off;
worker_processes 1;
pid %(where)s/nginx.pid;
error_log %(where)s/error.log;
events {}
http {
    access_log off;
    client_body_temp_path %(where)s/t1; proxy_temp_path %(where)s/t2; fastcgi_temp_path %(where)s/t3;
    uwsgi_temp_path %(where)s/t4; scgi_temp_path %(where)s/t5;
    server {
        listen 127.0.0.1:%(port)s;
        root %(where)s/www;
        location /slow/ { limit_rate %(rate)d; }
        location /quick/ { }
        location / { proxy_pass http://127.0.0.1:%(api)s; }
    }
}
"""
API = """
import http.server, json, sys

class Api(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        objects = [{"oid": o["oid"], "size": o["size"], "authenticated": True, "actions": {"download": {
            "href": "http://127.0.0.1:%s/%s/%s" % (sys.argv[2], "slow" if o["size"] > 10000 else "quick", o["oid"])}}}
            for o in asked["objects"]]
        body = json.dumps({"transfer": "basic", "objects": objects}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.git-lfs+json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Api).serve_forever()
"""


def play(s):
    port, api = s.port(), s.port()
    for name in "slow", "quick":
        os.makedirs(s.path("www/" + name))
    for name, text in ("nginx.conf", NGINX % {"where": s.where, "port": port, "api": api, "rate": RATE}), ("api.py", API), \
            ("www/quick/hello", "hello\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("api", ["/usr/bin/python3", "api.py", api, port])
    s.start("nginx", ["nginx", "-c", s.path("nginx.conf"), "-p", s.where, "-e", s.path("error.log")])
    s.wait("both listen", lambda: s.connects(port) and s.connects(api), 20)
    s.wait("nginx has a worker", lambda: s.child("nginx"))
    s.role("worker", s.child("nginx"))

    env = {**{k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith("GIT_")},
           "HOME": s.where, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
    with open(s.path(".gitconfig"), "w", encoding="ascii") as f:
        f.write("[user]\n\tname = clerk\n\temail = clerk@test.example\n[lfs]\n\turl = http://127.0.0.1:%s/lfs\n"
                '[filter "lfs"]\n\tprocess = git-lfs filter-process\n\trequired = true\n' % port)
    size = RATE * (s.seconds + 8)  # nginx cannot send this file faster later
    with_env = ["env", "-i", "PATH=" + os.environ["PATH"], "HOME=" + s.where, "GIT_CONFIG_NOSYSTEM=1", "git", "-C", "shop"]
    s.out(["env", "HOME=" + s.where, "git", "init", "-q", "-b", "main", "shop"])
    for branch, length in ("small", 100), ("big", size):
        data = branch.encode() * (length // len(branch))
        oid = hashlib.sha256(data).hexdigest()
        with open(s.path("www/%s/%s" % ("slow" if branch == "big" else "quick", oid)), "wb") as f:
            f.write(data)
        # A pointer of git-lfs. No filter sees it when it is added.
        with open(s.path("shop/photo"), "w", encoding="ascii") as f:
            f.write("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n" % (oid, len(data)))
        s.out([*with_env, "checkout", "-q", "-b", branch])
        s.out([*with_env, "add", "photo"])
        s.out([*with_env, "commit", "-q", "-m", branch])
    with open(s.path("shop/.git/info/attributes"), "w", encoding="ascii") as f:
        f.write("photo filter=lfs -text\n")
    os.unlink(s.path("shop/photo"))
    s.out([*with_env, "checkout", "-q", "-f", "small"])
    s.check("a small photo comes", os.path.getsize(s.path("shop/photo")) == 100)
    s.start("bystander", ["git-lfs", "filter-process"], talk=True, env=env, cwd=s.path("shop"))

    def got():
        """How much of the big photo is there."""
        parts = []
        for where, _, names in os.walk(s.path("shop/.git/lfs")):
            parts += [os.path.getsize(os.path.join(where, name)) for name in names]
        return max(parts, default=0)

    s.begin()
    victim = s.start("victim", ["git", "checkout", "-q", "-f", "big"], cwd=s.path("shop"), env=env)

    def filters():
        return [p for p in descendants(victim.pid) if proc(p, "cmdline").split("\0")[:2] == ["git-lfs", "filter-process"]]

    s.wait("the filter runs", lambda: len(filters()) == 1 and got() > 1000, 20)
    s.role("filter", filters()[0])
    for pid in descendants(victim.pid):
        if pid != s.pid("filter"):
            s.role("shell", pid)
    s.during("a part of the photo is there", lambda: 1000 < got() < size)
    s.during("git waits for the filter", lambda: victim.poll() is None and s.syscall("victim") == "read" and
             "pipe" in s.wchan("victim") and filters() == [s.pid("filter")])
    s.during("the filter mostly waits", lambda: not s.uses_cpu("filter", 0.2, 0.2))
    hello = ["curl", "-s", "-m", "5", "--noproxy", "*", "http://127.0.0.1:%s/quick/hello" % port]
    s.during("nginx sends other pages at once", lambda: s.out(hello) == "hello")
    s.during("nginx mostly sleeps", lambda: not s.uses_cpu("worker", 0.1, 0.2))
    s.during("the other server is idle", lambda: not s.uses_cpu("api", 0.1, 0.2))
    s.hang(victim="victim", culprits=["worker"], causes=["timer", "slow-peer"], vague=["filter", "nginx"],
           wrong=["api", "bystander", "test"])
    yield
    s.went_on("git ends", lambda: victim.poll() is not None)
    s.check("git has the whole photo", victim.poll() == 0 and os.path.getsize(s.path("shop/photo")) == got())
