#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""A web page that asks a database once for the list, and then once for each row: "N+1 queries".

  patterns_shop.py DIR ROWS...       runs all roles; asks for the page once for each number ROWS

The database is redis-server, or a small server in Python if redis is not installed.
"""
import os
import shutil
import socket
import subprocess
import sys
import time


def wait_for(path):
    for _ in range(1000):
        s = socket.socket(socket.AF_UNIX)
        try:
            s.connect(path)
            return s
        except OSError:
            s.close()
            time.sleep(0.01)
    sys.exit("patterns_shop.py: no server at %s" % path)


def database(path):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    sock, _ = listening.accept()
    with sock:
        while sock.recv(4096):
            sock.sendall(b"$3\r\nrow\r\n")


def query(db, *words):
    db.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))
    return db.recv(4096)


def app(path, db_path):
    with open("/proc/self/comm", "w", encoding="ascii") as f:
        f.write("shop-app")
    db = wait_for(db_path)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen()
    sock, _ = listening.accept()
    with sock:
        while True:
            asked = sock.recv(64)
            if not asked:
                return
            rows = int(asked)
            query(db, b"EXISTS", b"list")
            for i in range(rows):
                query(db, b"GET", b"row:%d" % i)
            sock.sendall(b"page of %d rows" % rows)


def main():
    if sys.argv[1] == "app":
        app(sys.argv[2], sys.argv[3])
        return
    if sys.argv[1] == "database":
        database(sys.argv[2])
        return
    where = sys.argv[1]
    path, db_path = os.path.join(where, "app.sock"), os.path.join(where, "db.sock")
    if shutil.which("redis-server"):
        start = ["redis-server", "--port", "0", "--unixsocket", db_path, "--save", "", "--dir", where]
    else:
        start = [sys.executable, __file__, "database", db_path]
    db = subprocess.Popen(start, stdout=subprocess.DEVNULL)
    server = subprocess.Popen([sys.executable, __file__, "app", path, db_path])
    try:
        with wait_for(path) as sock:
            for rows in sys.argv[2:]:
                sock.sendall(rows.encode())
                sock.recv(64)
                time.sleep(0.02)
        server.wait(10)
    finally:
        server.kill()
        db.terminate()
        db.wait()


if __name__ == "__main__":
    main()
