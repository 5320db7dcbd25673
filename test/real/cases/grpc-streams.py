# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of a gRPC server in Python waits for a price. The call waits in the queue of the server's pool: both threads of the
pool serve streams of news, and wait on purpose for news. The pool is too small: each open stream keeps a thread for itself."""
import subprocess

from scene import Missing

HELD_OUT = True
NEEDS = {"python3": "python3", "ss": "iproute2"}
PYTHON = "/usr/bin/python3"
SERVER = """
import sys, threading, queue
from concurrent import futures
import grpc
box = {}
def price(ask, context):
    return b"17"
def news(ask, context):
    name = ask.decode()
    box[name] = queue.Queue()
    print("stream", name, threading.get_native_id(), flush=True)
    for item in iter(box[name].get, None):
        yield item
server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Shop", {
    "Price": grpc.unary_unary_rpc_method_handler(price), "News": grpc.unary_stream_rpc_method_handler(news)}),))
server.add_insecure_port("127.0.0.1:" + sys.argv[1])
server.start()
print("ready", flush=True)
for line in sys.stdin:
    name, _, item = line.strip().partition(" ")
    box[name].put(item.encode() or None)
"""
CLIENT = """
import sys
import grpc
channel = grpc.insecure_channel("127.0.0.1:" + sys.argv[1])
if sys.argv[2] == "price":
    grpc.channel_ready_future(channel).result(20)
    print("asks", flush=True)
    sys.stdin.readline()
    print(channel.unary_unary("/Shop/Price")(b"tea").decode(), flush=True)
else:
    for item in channel.unary_stream("/Shop/News")(sys.argv[2].encode()):
        print(item.decode(), flush=True)
"""


def play(s):
    if subprocess.run([PYTHON, "-c", "import grpc"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package python3-grpcio")
    port = s.port()
    for name, text in ("server.py", SERVER), ("client.py", CLIENT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("server", [PYTHON, "server.py", port], talk=True)
    s.wait("the server is ready", lambda: "ready" in s.output("server"), 30)

    def client(role, what):
        return s.start(role, [PYTHON, "client.py", port, what], talk=True)

    client("before", "price")
    s.say("before", "go")
    s.wait("a price comes", lambda: s.output("before").split() == ["asks", "17"], 30)
    for name in "tea", "rice":
        client("reader_" + name, name)
        s.wait("the stream is open", lambda name=name: "stream %s " % name in s.output("server"), 30)
        tid = next(int(row.split()[2]) for row in s.output("server").splitlines() if row.startswith("stream %s " % name))
        s.role("stream_" + name, s.pid("server"), tid)
        s.say("server", name + " hello")
        s.wait("news come", lambda name=name: s.output("reader_" + name).split() == ["hello"])
    victim = client("victim", "price")
    s.wait("the client is connected", lambda: "asks" in s.output("victim"), 30)

    s.begin()
    s.say("victim", "go")
    s.during("both threads of the pool wait for news", lambda: all(
        s.state("stream_" + name) == "S" and s.syscall("stream_" + name) == "futex" for name in ("tea", "rice")))
    s.during("the clients of the streams are connected, and have no news", lambda: all(
        s.state("reader_" + name) == "S" and s.output("reader_" + name).split() == ["hello"] for name in ("tea", "rice")))
    s.during("the client has no price", lambda: victim.poll() is None and s.output("victim").split() == ["asks"])
    s.during("the server is idle", lambda: not s.uses_cpu("server", 0.3, 0.3))
    s.during("the call has arrived", lambda: s.out(
        ["ss", "-tnH", "state", "established", "( sport = :%s or dport = :%s )" % (port, port)]).count("\n") >= 5 and all(
            row.split()[:2] == ["0", "0"] for row in s.out(
                ["ss", "-tnH", "state", "established", "sport = :" + port]).splitlines()))
    s.hang(victim="victim", culprits=["server", "stream_tea", "stream_rice"],
           causes=["queueing", "external", "slow-peer", "missing-wakeup"], vague=["reader_tea", "reader_rice"],
           wrong=["before", "test"])
    yield
    s.say("server", "tea")  # ends this stream
    s.ended("victim")
    s.check("the price came", s.output("victim").split() == ["asks", "17"])
