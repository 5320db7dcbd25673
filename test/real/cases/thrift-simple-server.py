# SPDX-License-Identifier: GPL-2.0-or-later
"""A client of a Thrift server waits: TSimpleServer serves one connection at a time. A report keeps its connection open
while it computes."""
import os
import subprocess

from scene import Missing

HELD_OUT = True
NEEDS = {"thrift": "thrift-compiler", "python3": "python3"}
SHOP = "service Shop { i32 stock(1: string name) }\n"
SERVER = """import sys
sys.path.append("gen-py")
from shop import Shop
from thrift.protocol.TBinaryProtocol import TBinaryProtocolFactory
from thrift.server.TServer import TSimpleServer
from thrift.transport.TSocket import TServerSocket
from thrift.transport.TTransport import TBufferedTransportFactory
class Handler:
    def stock(self, name):
        return 17 if name == "tea" else 0
TSimpleServer(Shop.Processor(Handler()), TServerSocket("127.0.0.1", int(sys.argv[1])), TBufferedTransportFactory(),
              TBinaryProtocolFactory()).serve()
"""
CLIENT = """import os
import sys
sys.path.append("gen-py")
from shop import Shop
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport
transport = TBufferedTransport(TSocket("127.0.0.1", int(sys.argv[1])))
transport.open()
n = Shop.Client(TBinaryProtocol(transport)).stock("tea")
print("stock", n, flush=True)
total = 0
while sys.argv[2] == "report" and not os.path.exists("enough"):
    total += sum(i * i % n for i in range(100000))
transport.close()
"""


def play(s):
    if subprocess.run(["/usr/bin/python3", "-c", "import thrift"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the package python3-thrift")
    port = s.port()
    for name, text in ("shop.thrift", SHOP), ("server.py", SERVER), ("client.py", CLIENT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["thrift", "--gen", "py", "shop.thrift"])

    def client(what):
        return ["/usr/bin/python3", "client.py", port, what]

    s.start("server", ["/usr/bin/python3", "server.py", port])
    s.wait("the server answers", lambda: s.connects(port))
    s.check("one call works", s.out(client("call")) == "stock 17")
    report = s.start("report", client("report"))
    s.wait("the report has its number", lambda: s.output("report") == "stock 17\n")

    def connection(role):
        """(the unread bytes at the server, is it accepted) of the connection of a process."""
        mine = [r.split() for r in s.out(["ss", "-tnpH", "state", "established", "dport = :" + port]).splitlines()
                if "pid=%d," % s.pid(role) in r][0][2]
        end = s.out(["ss", "-tnpH", "state", "established", "sport = :%s" % port, "dport = :" + mine.split(":")[1]])
        return int(end.split()[0]), "pid=%d," % s.pid("server") in end

    s.check("the server has accepted the report", connection("report") == (0, True))

    s.begin()
    victim = s.start("victim", client("call"))
    s.wait("the victim's question is not read", lambda: connection("victim")[0] > 0)
    s.during("nobody has accepted the victim's connection", lambda: connection("victim")[0] > 0
             and not connection("victim")[1])
    s.during("the server waits for data of the report", lambda: connection("report") == (0, True)
             and s.syscall("server") in ("recvfrom", "read") and s.state("server") == "S")
    s.during("the server has no connection but the report's", lambda: sum(os.readlink("/proc/%d/fd/%s" % (
        s.pid("server"), f)).startswith("socket:") for f in os.listdir("/proc/%d/fd" % s.pid("server"))) == 2)
    s.during("the report computes", lambda: report.poll() is None and s.uses_cpu("report", 0.3, 0.8))
    s.during("the victim waits", lambda: victim.poll() is None and s.state("victim") == "S"
             and s.output("victim") == "")
    s.hang(victim="victim", culprits=["report"], causes=["busy"], vague=["server"], wrong=["test"])
    yield
    with open(s.path("enough"), "w", encoding="ascii"):
        pass
    s.ended("report")
    s.ended("victim")
    s.check("the number came", s.output("victim") == "stock 17\n")
