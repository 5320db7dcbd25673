#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""Clients send HTTP requests with headers `traceparent` to a server, which asks another server for each request.

  traceparent_shop.py LIBRARY LOG {loop,blind,threads}

The server marks each header with LIBRARY (traceparent_mark.c). It is an event loop, or has a thread for each
connection. With `loop`, the marks name the sockets. The other server marks nothing. LOG gets a list for each connection of
the clients, with the ports, the headers, and what LIBRARY returned for each request.
"""
import asyncio
import ctypes
import json
import os
import random
import socket
import subprocess
import sys
import threading

CONNECTIONS, REQUESTS = 4, 40
GOOD = "00-%s-%s-01"
ZEROES = "0" * 32


def hexadecimal(digits):
    return "%0*x" % (digits, random.randrange(1, 16 ** digits))


def header(number):
    """Every second header is valid. The others are of many wrong kinds."""
    trace, parent = hexadecimal(32), hexadecimal(16)
    good = GOOD % (trace, parent)
    wrong = ["", good[:-1], good + "-", good + "0", GOOD % (ZEROES, parent), GOOD % (trace, ZEROES[:16]), good.upper().replace("00-", "ab-"),
             "ff" + good[2:], good.replace("-", "_"), "\x1b[31m" + good, good[:30] + "\x1b]0;t\x07" + good[37:], "<b>" + good[3:],
             good[:54] + "\"", "0" * 55, "x" * 4096, good[:35] + "\u00ff" + good[36:]]
    right = [good, "01" + good[2:], "cc" + good[2:] + "-more\x1b[1m"]
    return right[number // 2 % len(right)] if number % 2 == 0 else wrong[number // 2 % len(wrong)]


def serve_rows(sock):
    with sock:
        for line in sock.makefile("rb"):
            sock.sendall(b"row " + line)


def listen():
    """An event loop never waits in accept(), so the trace may lack its listening socket. Then only a port below the ephemeral
    ones shows which end is the server."""
    while True:
        try:
            return socket.create_server(("127.0.0.1", random.randrange(10000, 32768)))
        except OSError:
            pass


def back():
    listening = listen()
    print(listening.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve_rows, args=(listening.accept()[0],), daemon=True).start()


def mark(library, fd, head):
    """Returns what the library says about each header `traceparent`."""
    return [library.mark_traceparent(fd, h[13:], len(h[13:])) for h in head.split(b"\r\n") if h.startswith(b"traceparent: ")]


def answer(valid):
    body = json.dumps(valid).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


async def loop(library, port, named):
    async def serve(reader, writer):
        up = await asyncio.open_connection("127.0.0.1", port)
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                up[1].close()
                return
            valid = mark(library, writer.get_extra_info("socket").fileno() if named else -1, head)
            up[1].write(b"rows\n")
            await up[0].readline()
            writer.write(answer(valid))

    sock = listen()
    print(sock.getsockname()[1], flush=True)
    await (await asyncio.start_server(serve, sock=sock)).serve_forever()


def serve_thread(library, port, sock):
    with sock, socket.create_connection(("127.0.0.1", port)) as up:
        rows, stream = up.makefile("rb"), sock.makefile("rb")
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                line = stream.readline()
                if not line:
                    return
                head += line
            valid = mark(library, -1, head)
            up.sendall(b"rows\n")
            rows.readline()
            sock.sendall(answer(valid))


def threads(library, port):
    listening = listen()
    print(listening.getsockname()[1], flush=True)
    while True:
        threading.Thread(target=serve_thread, args=(library, port, listening.accept()[0]), daemon=True).start()


def client(port, log):
    with socket.create_connection(("127.0.0.1", port)) as sock:
        answers = sock.makefile("rb")
        for i in range(REQUESTS):
            text = [header(i)]
            if i % 20 == 18:
                text.append(header(0))  # two headers that differ
            sock.sendall(b"GET /%d HTTP/1.1\r\n%s\r\n" % (i, b"".join(b"traceparent: " + t.encode("latin-1") + b"\r\n" for t in text)))
            length = [int(line.split()[1]) for line in iter(answers.readline, b"\r\n") if line.startswith(b"Content-Length")][0]
            log.append({"connection": [port, sock.getsockname()[1]], "headers": text, "valid": json.loads(answers.read(length))})


def child(*args):
    p = subprocess.Popen([sys.executable, "-B", __file__, *args], stdout=subprocess.PIPE)
    return p, int(p.stdout.readline())


def front(path, kind, port):
    library = ctypes.CDLL(path)
    library.mark_traceparent.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
    if kind == "threads":
        threads(library, port)
    asyncio.run(loop(library, port, kind == "loop"))


def main():
    if sys.argv[1] == "back":
        back()
    if sys.argv[1] == "front":
        front(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    library, path, kind = sys.argv[1:]
    backend, port = child("back")
    server, port = child("front", os.path.abspath(library), kind, str(port))
    logs = [[] for _ in range(CONNECTIONS)]
    ts = [threading.Thread(target=client, args=(port, log)) for log in logs]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    with open(path, "w", encoding="ascii") as f:
        json.dump(logs, f)
    for p in server, backend:
        p.kill()
        p.wait()


if __name__ == "__main__":
    main()
