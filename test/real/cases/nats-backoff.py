# SPDX-License-Identifier: GPL-2.0-or-later
"""A PHP page waits for an answer through nats-server. The Ruby worker that has to answer sleeps: for another request, a web
service has said 503 with Retry-After, and the worker waits for this time in the thread that reads its requests."""
import json
import time
import urllib.request

HELD_OUT = False
NEEDS = {"nats-server": "nats-server", "ruby": "ruby", "php": "php-cli", "python3": "python3", "ss": "iproute2"}
WORKER = r"""
require 'net/http'
require 'socket'
$stdout.sync = true
port, api, subject = ARGV
nats = TCPSocket.new('127.0.0.1', port.to_i)
nats.gets
nats.write("CONNECT {\"verbose\":false,\"pedantic\":false,\"name\":\"#{subject}\"}\r\nSUB #{subject} crew 1\r\nPING\r\n")
while line = nats.gets
  word, _, _, reply, size = line.split
  nats.write("PONG\r\n") if word == 'PING'
  puts 'ready' if word == 'PONG'
  next if word != 'MSG'
  parcel = nats.read(size.to_i + 2).strip
  puts "asks #{parcel}"
  loop do
    answer = Net::HTTP.new('127.0.0.1', api.to_i, nil).get("/#{parcel}")
    if answer.code == '503'
      puts "sleeps #{answer['Retry-After']}"
      sleep answer['Retry-After'].to_i
      next
    end
    nats.write("PUB #{reply} #{answer.body.size}\r\n#{answer.body}\r\n")
    break
  end
end
"""
PAGE = r"""
<?php
[$_, $port, $subject, $parcel] = $argv;
$nats = stream_socket_client("tcp://127.0.0.1:$port");
fgets($nats);
$size = strlen($parcel);
$inbox = "inbox." . getmypid();
fwrite($nats, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB $inbox 1 1\r\nPUB $subject $inbox $size\r\n$parcel\r\n");
stream_set_timeout($nats, 60);
while (($line = fgets($nats)) !== false) {
    if (strncmp($line, "PING", 4) === 0)
        fwrite($nats, "PONG\r\n");
    if (strncmp($line, "MSG", 3) === 0)
        exit("label " . fgets($nats));
}
exit(1);
"""
API = r"""
import http.server, sys
seen = []
class Label(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        seen.append(self.path)
        busy = self.path == "/many" and seen.count("/many") == 1
        self.send_response(503 if busy else 200)
        if busy:
            self.send_header("Retry-After", sys.argv[2])
        self.end_headers()
        if not busy:
            self.wfile.write(b"for " + self.path[1:].encode())
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Label).serve_forever()
"""


def play(s):
    port, monitor, api = s.port(), s.port(), s.port()
    retry = s.seconds + 4
    for name, text in ("worker.rb", WORKER), ("page.php", PAGE.lstrip()), ("api.py", API):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("nats", ["nats-server", "-a", "127.0.0.1", "-p", port, "-m", monitor])
    s.start("api", ["/usr/bin/python3", "api.py", api, retry])
    for p in port, api:
        s.wait("the server listens", lambda p=p: s.connects(p))
    for role, subject in ("worker", "label"), ("other_worker", "stamp"):
        s.start(role, ["ruby", "worker.rb", port, api, subject])
        s.wait("%s is ready" % role, lambda role=role: "ready" in s.output(role))

    def page(subject, parcel):
        return ["php", "-n", "page.php", port, subject, parcel]

    for subject in "label", "stamp":
        s.check("the worker answers", s.out(page(subject, "one")) == "label for one")

    s.start("first", page("label", "many"))
    s.wait("the worker sleeps", lambda: "sleeps %d" % retry in s.output("worker"))
    asleep = time.monotonic()

    s.begin()
    victim = s.start("victim", page("label", "two"))

    def unread():
        """The bytes that the worker has not read from its connection with nats-server."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + port]).splitlines()
        return sum(int(row.split()[0]) for row in rows if "pid=%d," % s.pid("worker") in row)

    def messages():
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                "http://127.0.0.1:%s/connz" % monitor, timeout=5) as f:
            return {c.get("name"): c["out_msgs"] for c in json.load(f)["connections"]}

    s.wait("the request has come to the worker", lambda: unread() > 0)
    s.during("nats-server has sent three requests to the worker", lambda: messages()["label"] == 3)
    s.during("the worker has not read the third", lambda: unread() > 0 and "two" not in s.output("worker"))
    s.during("the worker sleeps", lambda: time.monotonic() < asleep + retry and s.state("worker") == "S" and
             not s.uses_cpu("worker", 0.05, 0.2))
    s.during("the page waits", lambda: victim.poll() is None and s.syscall("victim") in ("poll", "recvfrom", "read") and
             s.output("victim") == "")
    s.during("the other worker answers", lambda: s.out(page("stamp", "three"), timeout=10) == "label for three")
    s.hang(victim="victim", culprits=["worker"], causes=["timer", "polling", "slow-peer"], vague=["nats"],
           wrong=["api", "other_worker", "first", "test"])
    yield
    s.ended("victim")
    s.ended("first")
    s.check("the page has its label", s.output("victim").strip() == "label for two")
