# SPDX-License-Identifier: GPL-2.0-or-later
"""npm install waits for the install script of the package, which gets a file from a web server. nginx sends the file slowly
on purpose (limit_rate): it sleeps between the parts of the file."""
import json
import os

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"npm": "npm", "node": "nodejs", "nginx": "nginx", "curl": "curl"}
RATE = 50 << 10
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
    }
}
"""
INSTALL = """
const fs = require("fs"), http = require("http");
http.get("http://127.0.0.1:%s/slow/engine", answer => {
    const file = fs.createWriteStream("engine");
    answer.pipe(file);
    file.on("finish", () => console.log("the engine is there"));
});
"""


def play(s):
    port, size = s.port(), RATE * (s.seconds + 7)  # nginx cannot send this file faster later
    os.makedirs(s.path("www/slow"))
    os.mkdir(s.path("app"))
    package = {"name": "shop", "version": "1.0.0", "scripts": {"postinstall": "node install.js"}}
    for name, text in ("nginx.conf", NGINX % {"where": s.where, "port": port, "rate": RATE}), \
            ("app/install.js", INSTALL % port), ("app/package.json", json.dumps(package)), ("www/hello", "hello\n"), \
            ("www/slow/engine", "x" * size):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("nginx", ["nginx", "-c", s.path("nginx.conf"), "-p", s.where, "-e", s.path("error.log")])
    s.wait("nginx answers", lambda: s.connects(port))
    s.wait("nginx has a worker", lambda: s.child("nginx"))
    s.role("worker", s.child("nginx"))
    env = {**os.environ, "HOME": s.where, "npm_config_cache": s.path("cache"), "npm_config_offline": "true",
           "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false"}
    for name in "http_proxy", "HTTP_PROXY":
        env.pop(name, None)
    s.start("bystander", ["node", "-e", "setInterval(() => 0, 3000)"])

    def installer():
        return [p for p in descendants(s.pid("victim")) if proc(p, "cmdline").split("\0")[:2] == ["node", "install.js"]]

    def got():
        return os.path.getsize(s.path("app/engine"))

    victim = s.start("victim", ["npm", "install"], cwd=s.path("app"), env=env)
    s.wait("the install script runs", installer, 30)
    s.begin()
    s.role("installer", installer()[0])
    s.wait("the file begins", lambda: got() > 0)
    s.during("a part of the file is there", lambda: 0 < got() < size)
    s.during("the install script waits", lambda: installer() == [s.pid("installer")] and not s.uses_cpu("installer", 0.2, 0.2))
    s.during("npm waits", lambda: victim.poll() is None and s.state("victim") == "S" and not s.uses_cpu("victim", 0.2, 0.2))
    hello = ["curl", "-s", "-m", "5", "--noproxy", "*", "http://127.0.0.1:%s/hello" % port]
    s.during("nginx sends other pages at once", lambda: s.out(hello) == "hello")
    s.during("nginx mostly sleeps", lambda: not s.uses_cpu("worker", 0.1, 0.2))
    s.hang(victim="victim", culprits=["worker"], causes=["timer", "slow-peer"], vague=["installer", "nginx"],
           wrong=["bystander", "test"])
    yield
    s.ended("victim")
    s.check("the whole file is there", got() == size)
