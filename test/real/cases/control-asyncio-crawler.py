# SPDX-License-Identifier: GPL-2.0-or-later
"""No hang: a crawler with aiohttp waits 0.4 s before each page, so that it does not load the server."""
import os
import subprocess

from scene import Missing

HELD_OUT = True
NEEDS = {"python3": "python3"}
PYTHON = "/usr/bin/python3"
SHOP = """
import sys
from aiohttp import web

async def page(request):
    number = int(request.match_info["number"])
    return web.Response(text="page %d, next %d" % (number, number + 1))

shop = web.Application()
shop.router.add_get("/page/{number}", page)
web.run_app(shop, host="127.0.0.1", port=int(sys.argv[1]), print=None)
"""
CRAWLER = """
import asyncio, sys
import aiohttp

async def crawl(found, one_by_one):
    async with aiohttp.ClientSession() as session:
        number = 1
        while True:
            async with one_by_one:
                await asyncio.sleep(0.4)
                async with session.get("http://127.0.0.1:%s/page/%d" % (sys.argv[1], number)) as answer:
                    text = await answer.text()
            number = int(text.split()[-1])
            await found.put(text)

async def main():
    found, one_by_one = asyncio.Queue(), asyncio.Semaphore(1)
    crawlers = [asyncio.create_task(crawl(found, one_by_one)) for _ in range(3)]
    while True:
        print(await found.get(), flush=True)

asyncio.run(main())
"""


def play(s):
    if subprocess.run([PYTHON, "-c", "import aiohttp"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package python3-aiohttp")
    for name, text in ("shop.py", SHOP), ("crawler.py", CRAWLER):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    port = s.port()
    s.start("shop", [PYTHON, "-B", "shop.py", port])
    s.wait("the shop listens", lambda: s.connects(port), 20)
    env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    s.start("crawler", [PYTHON, "-B", "crawler.py", port], env=env)

    def pages():
        return s.output("crawler").count("page ")

    s.wait("the first pages are there", lambda: pages() >= 3, 20)

    s.begin()
    began = pages()

    def goes_on():
        before = pages()
        s.wait("two more pages come", lambda: pages() >= before + 2, 3)
        return True

    s.during("pages come", goes_on)
    s.normal(victim="crawler", causes=["timer", "external"])
    yield
    before = pages()
    s.went_on("more pages come", lambda: pages() >= before + 3)
    s.check("at least one page came each second", before - began >= s.seconds)
