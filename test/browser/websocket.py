# SPDX-License-Identifier: GPL-2.0-or-later
"""A client for WebSockets (RFC 6455), for messages of text to a program on this host."""
import base64
import os
import socket
import struct

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


class WebSocket:
    def __init__(self, port, path, timeout_s):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout_s)
        self.file = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n" % (path, port, key)).encode())
        status = self.file.readline()
        if b" 101 " not in status:
            raise ConnectionError("no WebSocket: %r" % status)
        while self.file.readline().strip():
            pass

    def close(self):
        self.file.close()
        self.socket.close()

    def write(self, data, code=TEXT):
        n, mask = len(data), os.urandom(4)
        size = struct.pack(">B", 128 | n) if n < 126 else struct.pack(">BH", 128 | 126, n) if n < 65536 else struct.pack(">BQ", 128 | 127, n)
        self.socket.sendall(bytes([128 | code]) + size + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def read(self):
        """Returns the next message."""
        data = b""
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                raise EOFError("the browser has ended")
            first, n = head[0], head[1] & 127
            if n >= 126:
                n = int.from_bytes(self.file.read(2 if n == 126 else 8), "big")
            part = self.file.read(n)
            code = first & 15
            if code == CLOSE:
                raise EOFError("the browser has ended")
            if code == PING:
                self.write(part, PONG)
            elif code != PONG:
                data += part
                if first & 128:
                    return data
