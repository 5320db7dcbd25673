# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: curl reads server-sent events of a Tornado server. The server has a new price each second, and is idle in
the meantime."""
import subprocess

from scene import Missing

HELD_OUT = True
NEEDS = {"python3": "python3", "curl": "curl"}
SERVER = """import asyncio
import sys
import tornado.web
news = asyncio.Condition()
price = 0
class Events(tornado.web.RequestHandler):
    async def get(self):
        self.set_header("Content-Type", "text/event-stream")
        while True:
            async with news:
                await news.wait()
            self.write("data: price %d\\n\\n" % price)
            await self.flush()
class Hello(tornado.web.RequestHandler):
    def get(self):
        self.write("hello")
async def main():
    global price
    app = tornado.web.Application([("/events", Events), ("/hello", Hello)])
    app.listen(int(sys.argv[1]), "127.0.0.1")
    while True:
        await asyncio.sleep(1)
        async with news:
            price += 1
            print("price", price, flush=True)
            news.notify_all()
asyncio.run(main())
"""


def play(s):
    if subprocess.run(["/usr/bin/python3", "-c", "import tornado"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package python3-tornado")
    port = s.port()
    with open(s.path("server.py"), "w", encoding="ascii") as f:
        f.write(SERVER)
    s.start("server", ["/usr/bin/python3", "server.py", port])

    def get(page):
        return ["curl", "-sSN", "http://127.0.0.1:%s/%s" % (port, page)]

    s.wait("the server answers", lambda: s.connects(port) and s.out(get("hello")) == "hello")
    s.start("other", get("events"))
    s.wait("the other reader has a price", lambda: "price" in s.output("other"))

    s.begin()
    reader = s.start("reader", get("events"))

    def late():
        """How many prices the reader has not got yet, and the number of the last one."""
        made = int(s.output("server").split()[-1])
        return made - int(s.output("reader").split()[-1]), made

    s.wait("the first price comes", lambda: "data: price" in s.output("reader"))
    first = late()[1]
    # One price may be on its way while the test looks.
    s.during("no price is late", lambda: late()[0] <= 1 and reader.poll() is None)
    s.during("the server is idle, and answers others", lambda: s.state("server") == "S"
             and s.syscall("server") == "epoll_wait" and s.out(get("hello"), timeout=5) == "hello")
    s.normal(victim="reader", causes=["timer"])
    yield
    n = late()[1]
    s.went_on("more prices come", lambda: late()[1] > n + 1 and late()[0] <= 1)
    s.check("a price came about each second", n - first >= s.seconds - 3)
