# SPDX-License-Identifier: GPL-2.0-or-later
"""A socket on which every request gets the same given answer."""
import json
import socket
import threading


class Answering(threading.Thread):
    def __init__(self, path, answer):
        super().__init__(daemon=True)
        self.answer = json.dumps(answer) + "\n"
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(path)
        self.server.listen()
        self.start()

    def run(self):
        while True:
            client, _ = self.server.accept()
            with client, client.makefile("rw") as f:
                for _ in f:
                    f.write(self.answer)
                    f.flush()
