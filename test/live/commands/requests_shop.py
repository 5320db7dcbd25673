#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients ask an event loop, which asks a server with a pool of threads.

  requests_shop.py DIR CAUSE REQUESTS       runs all roles, and returns when the clients have their answers

A request is a line with its id. The event loop has more requests under way than connections to the server, and asks
the server once for each request. Every 50th request meets CAUSE in the server:

  lock     another process holds a file lock for 20 ms
  slow     the server computes for 20 ms
  sleep    the server sleeps for 20 ms

Clients and event loop write the logs "client*" and "proxy". A line has the id of the request, the port of the asking
side, and the times (CLOCK_MONOTONIC, ns) of the question and of the answer.
"""
import asyncio
import collections
import fcntl
import hashlib
import os
import socket
import subprocess
import sys
import threading
import time

CLIENTS, POOL, EVERY, CAUSE_S = 6, 4, 50, 0.02


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def compute(seconds):
    """Computes hashes: meanwhile Python releases its lock, so several threads can compute at the same time."""
    # Without a real-time priority, on a machine with two CPUs, the thread waits for a CPU longer than it computes.
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    end, block = time.thread_time() + seconds, bytes(1 << 18)
    while time.thread_time() < end:
        hashlib.sha256(block)


def meet(cause, lock, holder):
    if cause == "sleep":
        time.sleep(CAUSE_S)
    elif cause == "slow":
        compute(CAUSE_S)
    else:
        holder.stdin.write(b"take\n")
        holder.stdin.flush()
        holder.stdout.readline()
        fcntl.flock(lock, fcntl.LOCK_EX)
        fcntl.flock(lock, fcntl.LOCK_UN)


def serve_one(sock, cause, lock, holder):
    with sock:
        stream = sock.makefile("rb")
        while True:
            line = stream.readline()
            if not line:
                return
            if int(line) % EVERY == EVERY - 1:
                meet(cause, lock, holder)
            sock.sendall(b"done %s" % line)


def server(where, cause):
    lock = os.open(os.path.join(where, "lock"), os.O_RDWR | os.O_CREAT)
    holder = subprocess.Popen([sys.executable, "-B", __file__, where, "holder"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    listening = socket.create_server(("127.0.0.1", 0))
    print(listening.getsockname()[1], flush=True)
    while True:
        sock, _ = listening.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve_one, args=(sock, cause, lock, holder), daemon=True).start()


def holder(where):
    """For each line that it reads: takes the lock, says so, keeps it for CAUSE_S."""
    lock = os.open(os.path.join(where, "lock"), os.O_RDWR | os.O_CREAT)
    for _ in sys.stdin.buffer:
        fcntl.flock(lock, fcntl.LOCK_EX)
        print("taken", flush=True)
        time.sleep(CAUSE_S)
        fcntl.flock(lock, fcntl.LOCK_UN)


class Proxy:
    def __init__(self, where, port):
        self.port, self.log = port, open(os.path.join(where, "proxy"), "w", encoding="ascii")
        self.free, self.waiting = collections.deque(), collections.deque()

    async def take(self):
        """Returns a free connection to the server. If no connection is free, waits in a queue for one."""
        if self.free:
            return self.free.popleft()
        self.waiting.append(asyncio.get_running_loop().create_future())
        return await self.waiting[-1]

    def give(self, up):
        if self.waiting:
            self.waiting.popleft().set_result(up)
        else:
            self.free.append(up)

    async def start(self):
        for _ in range(POOL):
            self.free.append(await asyncio.open_connection("127.0.0.1", self.port))
        listening = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        print(listening.sockets[0].getsockname()[1], flush=True)
        await listening.serve_forever()

    async def serve(self, reader, writer):
        while True:
            line = await reader.readline()
            if not line:
                return
            up = await self.take()
            began = now()
            up[1].write(line)
            answer = await up[0].readline()
            print(int(line), up[1].get_extra_info("sockname")[1], began, now(), file=self.log, flush=True)
            self.give(up)
            writer.write(answer)


def client(where, number, port, requests):
    with open(os.path.join(where, "client%d" % number), "w", encoding="ascii") as log, \
            socket.create_connection(("127.0.0.1", port)) as sock:
        stream = sock.makefile("rb")
        for i in range(number, requests, CLIENTS):
            began = now()
            sock.sendall(b"%d\n" % i)
            if stream.readline() != b"done %d\n" % i:
                sys.exit("a wrong answer")
            print(i, sock.getsockname()[1], began, now(), file=log)


def start(where, *args):
    p = subprocess.Popen([sys.executable, "-B", __file__, where, *args], stdout=subprocess.PIPE, text=True)
    return p, p.stdout.readline().strip()


def main():
    where, role, *rest = sys.argv[1:]
    if role == "server":
        server(where, rest[0])
    elif role == "holder":
        holder(where)
    elif role == "proxy":
        asyncio.run(Proxy(where, int(rest[0])).start())
    elif role == "client":
        client(where, int(rest[0]), int(rest[1]), int(rest[2]))
    else:
        back, port = start(where, "server", role)
        front, port = start(where, "proxy", port)
        clients = [subprocess.Popen([sys.executable, "-B", __file__, where, "client", str(i), port, rest[0]])
                   for i in range(CLIENTS)]
        failed = sum(p.wait() != 0 for p in clients)
        front.kill()
        back.kill()
        sys.exit(failed)


if __name__ == "__main__":
    main()
