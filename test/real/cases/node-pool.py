# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a file from a node server. The file is read in libuv's thread pool, whose threads all compute pbkdf2."""
import os

HELD_OUT = True
NEEDS = {"node": "nodejs", "curl": "curl"}

SERVER = """
const crypto = require('crypto'), fs = require('fs'), http = require('http');
const hash = (n, done) => crypto.pbkdf2('secret', 'salt', n, 32, 'sha256', done);
http.createServer((request, answer) => {
  if (request.url === '/hello') return answer.end('hello');
  if (request.url.startsWith('/hash/')) {
    console.log('hash begins');
    return hash(+request.url.slice(6), () => { console.log('hash ends'); answer.end('hash'); });
  }
  console.log('file asked');
  fs.readFile(__filename, (e, data) => { console.log('file read'); answer.end(data); });
}).listen(+process.argv[2], '127.0.0.1', () => {
  // The best of some trials: how many rounds each of two threads can do in a second.
  const n = 400000;
  let trials = 6, left = 0, began, best = 0;
  const next = () => {
    if (left-- > 0)
      return;
    if (began)
      best = Math.max(best, Math.round(n / Number(process.hrtime.bigint() - began) * 1e9));
    if (trials-- === 0)
      return console.log('ready ' + best);
    began = process.hrtime.bigint();
    left = 1;
    hash(n, next);
    hash(n, next);
  };
  next();
});
"""


def play(s):
    port = s.port()
    with open(s.path("server.js"), "w", encoding="utf-8") as f:
        f.write(SERVER)
    s.start("server", ["node", "server.js", port], env={**os.environ, "UV_THREADPOOL_SIZE": "2"})
    s.wait("the server is ready", lambda: s.output("server").endswith("\n") and "ready" in s.output("server"), 60)
    rate = int(s.output("server").split()[1])

    def get(what):
        return ["curl", "-s", "-o", what.replace("/", "-"), "http://127.0.0.1:%s/%s" % (port, what)]

    def cpu_of_threads():
        found = {}
        for tid in s.threads("server"):
            s.role("thread", s.pid("server"), tid)
            found[tid] = s.cpu_s("thread")
        del s.roles["thread"]
        return found

    before = cpu_of_threads()
    for i in 0, 1:
        s.start("hash%d" % i, get("hash/%d" % (rate * (s.seconds + 3) + i)))
    s.wait("both threads of the pool compute", lambda: s.output("server").count("hash begins") == 2 and sum(
        cpu - before.get(tid, 0) > 0.1 for tid, cpu in cpu_of_threads().items()) == 2)
    for i, tid in enumerate(tid for tid, cpu in cpu_of_threads().items() if cpu - before.get(tid, 0) > 0.1):
        s.role("worker%d" % i, s.pid("server"), tid)

    s.begin()
    victim = s.start("victim", get("file"))
    s.wait("the server wants the file", lambda: "file asked" in s.output("server"))
    s.during("both threads compute", lambda: s.uses_cpu("worker0", 0.2) and s.uses_cpu("worker1", 0.2))
    s.during("no hash is ready, and the file is not read",
             lambda: "hash ends" not in s.output("server") and "file read" not in s.output("server"))
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") == "poll")
    s.during("the main thread is idle and answers others",
             lambda: s.syscall("server") in ("epoll_wait", "epoll_pwait") and s.out(get("hello")) == "")
    s.hang(victim="victim", culprits=["worker0", "worker1"], causes=["busy", "queueing"], vague=["server", "hash0", "hash1"])
    yield
    # On a busy machine, the threads get less than a CPU each.
    s.wait("a hash is ready", lambda: "hash ends" in s.output("server"), 60)
    s.ended("victim")
    s.check("the file was read after a hash", "hash ends" in s.output("server").partition("file read")[0])
    s.check("curl has the file", os.path.getsize(s.path("file")) == os.path.getsize(s.path("server.js")))
