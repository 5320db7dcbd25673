# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for an asyncio server. For another request, the server asks for a price again and again, and sleeps in between
with time.sleep, which blocks the event loop. The price server does not run."""
import os
import signal

from scene import proc

HELD_OUT = False
NEEDS = {"python3": "python3", "curl": "curl", "ss": "iproute2"}
SHOP = """
import asyncio, sys, time, urllib.error, urllib.request

def price():
    while True:
        try:
            with urllib.request.urlopen("http://127.0.0.1:%s/price" % sys.argv[2], timeout=2) as answer:
                return answer.read().decode()
        except urllib.error.URLError:
            time.sleep(2)

async def serve(reader, writer):
    path = (await reader.readuntil(b"\\r\\n\\r\\n")).decode().split()[1]
    text = price() if path == "/price" else "hello\\n"
    writer.write(("HTTP/1.0 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(text), text)).encode())
    await writer.drain()
    writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
    async with server:
        await server.serve_forever()

asyncio.run(main())
"""


def play(s):
    port, prices = s.port(), s.port()
    for name, text in ("shop.py", SHOP), ("price", "17\n"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    price_server = ["/usr/bin/python3", "-m", "http.server", "--bind", "127.0.0.1", prices]
    first = s.start("first", price_server)
    s.wait("the price server answers", lambda: s.connects(prices))
    s.start("server", ["/usr/bin/python3", "shop.py", port, prices], env=env)
    s.wait("the server answers", lambda: s.connects(port))

    def curl(page):
        return ["curl", "-s", "--noproxy", "*", "http://127.0.0.1:%s/%s" % (port, page)]

    s.check("the server answers", s.out(curl("hello")) == "hello" and s.out(curl("price")) == "17")
    first.send_signal(signal.SIGKILL)
    first.wait()

    def sleeps():
        return s.syscall("server") in ("clock_nanosleep", "select", "pselect6")

    s.begin()
    other = s.start("other", curl("price"))
    s.wait("the server sleeps", sleeps)
    victim = s.start("victim", curl("hello"))
    s.wait("curl waits", lambda: s.syscall("victim") in ("poll", "ppoll"))

    def unread():
        """The bytes of the victim's request that the server has not read."""
        rows = s.out(["ss", "-tnH", "state", "established", "sport", "=", ":" + port]).splitlines()
        return sum(int(row.split()[0]) > 0 for row in rows) == 1

    s.during("the server mostly sleeps", lambda: not s.uses_cpu("server", 0.1, 0.2) and
             s.wait("the server sleeps", sleeps, 2) is None)
    s.during("nobody is at the port of the prices", lambda: s.out(["ss", "-tlnH", "sport", "=", ":" + prices]) == "")
    s.during("the server has not read the request", unread)
    s.during("both requests wait", lambda: victim.poll() is None and other.poll() is None and
             "curl" in proc(victim.pid, "comm"))
    s.hang(victim="victim", culprits=["server"], causes=["timer", "polling", "slow-peer"], wrong=["other", "test"])
    yield
    s.start("second", price_server)
    s.ended("victim")
    s.check("curl has its page", s.output("victim") == "hello\n")
    s.wait("the other curl has its price", lambda: s.output("other") == "17\n")
