# SPDX-License-Identifier: GPL-2.0-or-later
"""curl waits for a node server, which waits for the answer of a worker thread. The worker thread
computes."""
HELD_OUT = False
NEEDS = {"node": "nodejs", "curl": "curl"}

# The time of the match grows exponentially with `length`. If `length` is above 9, the worker
# repeats the match until a client asks for /stop.
SERVER = """
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads'), http = require('http');
if (isMainThread) {
  const stop = new Int32Array(new SharedArrayBuffer(4)), start = () => new Worker(__filename, { workerData: stop });
  const workers = [start(), start()];
  http.createServer((request, answer) => {
    if (request.url === '/stop')
      Atomics.store(stop, 0, 1);
    const [, i, length] = request.url.split('/');
    if (!length)
      return answer.end('hello');
    workers[+i].once('message', found => answer.end(found));
    workers[+i].postMessage(+length);
  }).listen(+process.argv[2], '127.0.0.1', () => console.log('ready'));
} else {
  parentPort.on('message', length => {
    const word = 'a'.repeat(length) + '!';
    do {
      if (/^(a+)+$/.test(word))
        return parentPort.postMessage('found');
    } while (length > 9 && !Atomics.load(workerData, 0));
    parentPort.postMessage('not found');
  });
}
"""


def play(s):
    port = s.port()
    with open(s.path("server.js"), "w", encoding="ascii") as f:
        f.write(SERVER)
    s.start("server", ["node", "server.js", port])
    s.wait("the server is ready", lambda: s.output("server") == "ready\n")

    def get(what):
        return ["curl", "-s", "http://127.0.0.1:%s/%s" % (port, what)]

    def cpu_of_threads():
        found = {}
        for tid in s.threads("server"):
            s.role("thread", s.pid("server"), tid)
            found[tid] = s.cpu_s("thread")
        del s.roles["thread"]
        return found

    for i in 0, 1:
        s.check("worker %d answers" % i, s.out(get("%d/5" % i)) == "not found")
    before = cpu_of_threads()

    s.begin()
    victim = s.start("victim", get("0/21"))
    s.wait("a thread computes", lambda: any(cpu - before.get(tid, 0) > 0.3 for tid, cpu in cpu_of_threads().items()))
    used = {tid: cpu - before.get(tid, 0) for tid, cpu in cpu_of_threads().items()}
    s.role("worker", s.pid("server"), max(used, key=used.get))
    s.check("it is not the main thread", s.roles["worker"][1] != s.pid("server"))
    s.during("the worker computes", lambda: s.uses_cpu("worker", 0.5))
    s.during("the main thread is idle and answers others", lambda: s.syscall("server") in ("epoll_wait", "epoll_pwait") and
             s.out(get("hello")) == "hello")
    s.during("the other worker answers", lambda: s.out(get("1/5")) == "not found")
    s.during("curl waits", lambda: victim.poll() is None and s.syscall("victim") == "poll")
    s.hang(victim="victim", culprits=["worker"], causes=["busy"], vague=["server"], wrong=["test"])
    yield
    s.out(get("stop"))
    s.ended("victim")
    s.check("curl has its answer", s.output("victim") == "not found")
