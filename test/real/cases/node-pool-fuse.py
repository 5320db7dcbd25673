# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for node: all four threads of libuv's pool read files of a FUSE file system. SIGSTOP has stopped its bindfs."""
import os
import signal
import subprocess

from scene import proc

HELD_OUT = True
NEEDS = {"node": "nodejs", "bindfs": "bindfs", "curl": "curl"}

SERVER = """
const fs = require('fs');
require('http').createServer((request, answer) => {
  if (request.url === '/hello')
    return answer.end('hello');
  fs.readFile(process.argv[3] + request.url, (error, text) => answer.end(error ? 'none' : text));
}).listen(+process.argv[2], '127.0.0.1', () => console.log('ready'));
"""


def play(s):
    port = s.port()
    for name in "films", "music":
        source, there = s.path(name + ".source"), s.path(name)
        os.mkdir(source)
        os.mkdir(there)
        for n in range(5):
            with open(os.path.join(source, str(n)), "w", encoding="ascii") as f:
                f.write(name)
        s.callback(subprocess.run, ["umount", "-l", there], stderr=subprocess.DEVNULL, check=False)
        s.start(name + "_fs", ["bindfs", "-f", source, there])
        s.wait("%s is mounted" % name, lambda there=there: os.path.ismount(there))
    for name, text in ("server.js", SERVER), ("page", "page"):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("server", ["node", "server.js", port, s.where])
    s.wait("the server is ready", lambda: s.output("server") == "ready\n")

    def get(what):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, what)]

    s.check("all is well", [s.out(get(x)) for x in ("music/0", "page")] == ["music", "page"])
    s.check("the films are there", {s.out(get("films/%d" % n)) for n in range(5)} == {"films"})

    def in_fuse():
        return [tid for tid in s.threads("server") if "request_wait_answer" in proc(s.pid("server"), "wchan", tid)]

    s.begin()
    os.kill(s.pid("films_fs"), signal.SIGSTOP)
    s.wait("bindfs stops", lambda: s.state("films_fs") == "T")
    for n in range(1, 5):
        s.start("viewer%d" % n, get("films/%d" % n))
    s.wait("four threads wait for bindfs", lambda: len(in_fuse()) == 4)
    threads = in_fuse()
    for n, tid in enumerate(threads):
        s.role("thread%d" % n, s.pid("server"), tid)
    victim = s.start("victim", get("page"))
    s.wait("curl waits", lambda: s.syscall("victim") == "poll")
    s.during("bindfs is stopped", lambda: s.state("films_fs") == "T")
    s.during("four threads wait for bindfs", lambda: in_fuse() == threads)
    s.during("the main thread is idle, and answers", lambda: s.syscall("server") in ("epoll_wait", "epoll_pwait") and
             s.out(get("hello"), timeout=5) == "hello")
    s.during("curl waits", lambda: victim.poll() is None and s.state("victim") == "S" and s.output("victim") == "")
    s.during("the other file system works", lambda: s.out(["cat", s.path("music/3")], timeout=5) == "music")
    s.hang(victim="victim", culprits=["films_fs", "test"], causes=["stopped", "queueing"],
           vague=["server", *("thread%d" % n for n in range(4))], wrong=["music_fs", *("viewer%d" % n for n in range(1, 5))])
    yield
    os.kill(s.pid("films_fs"), signal.SIGCONT)
    s.ended("victim")
    s.check("the page came", s.output("victim") == "page")
