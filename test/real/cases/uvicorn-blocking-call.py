# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a health check of uvicorn. The event loop of uvicorn stands still: for another request, its thread waits in a
call that blocks (urllib) for a node server. This node server computes."""
import os
import subprocess

from scene import Missing

HELD_OUT = False
NEEDS = {"python3": "python3", "node": "nodejs", "curl": "curl", "ss": "iproute2"}
PYTHON = "/usr/bin/python3"
APP = """
import os, urllib.request
async def app(scope, receive, send):
    if scope["type"] != "http":
        return
    if scope["path"] == "/price":
        page = urllib.request.urlopen("http://127.0.0.1:%s/price" % os.environ["PRICES"]).read()  # should be awaited
    else:
        page = b"healthy"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(page))]})
    await send({"type": "http.response.body", "body": page})
"""
PRICES = """
const fs = require('fs'), http = require('http');
http.createServer((ask, answer) => {
    if (ask.url === '/price')
        for (let x = 1; !fs.existsSync('enough');)
            for (let i = 0; i < 1e7; i++)
                x = (x * 3 + 1) % 1000003;
    answer.end('17');
}).listen(process.argv[2], '127.0.0.1');
"""


def play(s):
    if subprocess.run([PYTHON, "-c", "import uvicorn"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package python3-uvicorn")
    for name, text in ("shop.py", APP), ("prices.js", PRICES):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    ports = {name: s.port() for name in ("server", "bystander", "prices", "other_prices")}
    for name in "prices", "other_prices":
        s.start(name, ["node", s.path("prices.js"), ports[name]])
        s.wait("node listens", lambda name=name: s.connects(ports[name]))
    for name, prices in ("server", "prices"), ("bystander", "other_prices"):
        s.start(name, [PYTHON, "-B", "-m", "uvicorn", "--port", ports[name], "--log-level", "warning", "shop:app"],
                env={**os.environ, "PRICES": ports[prices]})

    def get(name, page):
        return ["curl", "-sS", "http://127.0.0.1:%s/%s" % (ports[name], page)]

    for name in "server", "bystander":
        s.wait("uvicorn listens", lambda name=name: s.connects(ports[name]), 20)
        s.check("uvicorn answers", s.out(get(name, "health")) == "healthy")
    s.check("node is idle", not s.uses_cpu("prices", 0.1, 0.2))

    s.begin()
    s.start("buyer", get("server", "price"))
    s.wait("node computes", lambda: s.cpu_s("prices") > 0 and s.uses_cpu("prices", 0.1, 0.2))
    victim = s.start("victim", get("server", "health"))

    def unaccepted():
        return int(s.out(["ss", "-ltnH", "sport = :" + ports["server"]]).split()[1])

    s.wait("the connection is not accepted", lambda: unaccepted() == 1)
    s.during("the connection is not accepted", lambda: victim.poll() is None and unaccepted() == 1)
    s.during("uvicorn waits for node", lambda: s.state("server") == "S" and
             s.syscall("server") in ("recvfrom", "read", "poll") and
             "pid=%d," % s.pid("server") in s.out(["ss", "-tnpH", "dport = :" + ports["prices"]]))
    s.during("node computes", lambda: s.uses_cpu("prices", 0.15, 0.3))
    s.during("the other uvicorn answers", lambda: s.out(get("bystander", "health"), timeout=5) == "healthy")
    s.hang(victim="victim", culprits=["prices"], causes=["busy"], vague=["server"],
           wrong=["buyer", "bystander", "other_prices", "test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("victim")
    s.ended("buyer")
    s.check("the pages came", (s.output("victim"), s.output("buyer")) == ("healthy", "17"))
