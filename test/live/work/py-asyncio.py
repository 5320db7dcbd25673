#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""An asyncio server computes for one client in its event loop. Meanwhile, the victim's request has to wait."""
import asyncio
import os
import socket
import time

from told import SEEN, STAMP, caused, now, process, reap, role, say, sleeps, stamp, tell

ROUNDS, CLIENTS = 10, 3
SCALE = float(os.environ.get("LIVE_SCALE", "1"))


def compute(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


async def hear(reader):
    return caused("message", await reader.readexactly(STAMP.size), SEEN)


async def serve():
    left, done = CLIENTS, asyncio.Event()

    async def answer(reader, writer):
        nonlocal left
        accepted = now()
        try:
            hello = await reader.readexactly(STAMP.size)
            caused("connect", hello, sleeps(), accepted)
            caused("message", hello, SEEN)
            writer.write(stamp())
            while True:
                compute(2.5 * SCALE if await hear(reader) else 0.001)
                writer.write(stamp())
        except asyncio.IncompleteReadError:
            writer.close()
            left -= 1
            if not left:
                done.set()

    await asyncio.start_server(answer, sock=listener)
    await done.wait()


async def ask(last):
    hello = stamp()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(hello)
    await hear(reader)
    for _ in range(ROUNDS):
        writer.write(stamp())
        await hear(reader)
        await asyncio.sleep(0.004)
    if last:
        await last(reader, writer)
    writer.close()
    await writer.wait_closed()


async def heavy_last(reader, writer):
    await asyncio.sleep(0.2)
    writer.write(stamp(1))
    await hear(reader)


async def victim_last(reader, writer):
    await asyncio.sleep(0.3)
    say("t_start_ns=%d" % now())
    writer.write(stamp())
    await hear(reader)
    say("t_end_ns=%d" % now())


def server():
    role("server")
    asyncio.run(serve())


def client(name, last):
    role(name, related=last is not None)
    asyncio.run(ask(last))


for key, value in (("verdict", "long-wait"), ("cause", "busy|slow-peer|queueing"), ("kind", "tcp"),
                   ("root", "server"), ("chain", "victim,server")):
    say("expect.%s=%s" % (key, value))
listener = socket.create_server(("127.0.0.1", 0))
port = listener.getsockname()[1]
children = [process(server), process(lambda: client("other", None)),
            process(lambda: client("heavy", heavy_last))]
listener.close()
role("victim")
say("victim_pid=%d\nvictim_tid=%d" % (os.getpid(), os.getpid()))
asyncio.run(ask(victim_last))
for child in children:
    reap(child)
tell()
