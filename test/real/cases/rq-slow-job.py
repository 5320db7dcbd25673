# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python program asks again and again for the result of its job. The job waits in the queue of rq behind another job. The
worker's process for this other job waits for its openssl, which computes."""
import os
import subprocess

from scene import Missing, children, proc

HELD_OUT = False
NEEDS = {"rq": "python3-rq", "redis-server": "redis-server", "redis-cli": "redis-tools", "openssl": "openssl",
         "python3": "python3"}
TASKS = """
import subprocess
def keys():
    return subprocess.run(["openssl", "dhparam", "-out", "/dev/null", "8192"], stderr=subprocess.DEVNULL).returncode
def mail(n):
    return n * 2
"""
ASK = """
import sys, time
import redis, rq
queue = rq.Queue(sys.argv[1], connection=redis.Redis(unix_socket_path="redis.sock"))
if sys.argv[2] == "keys":
    queue.enqueue("tasks.keys", job_timeout=600)
    sys.exit()
job = queue.enqueue("tasks.mail", 21)
print("queued", flush=True)
while job.get_status() != "finished":
    time.sleep(0.1)
print("result", job.result)
"""


def play(s):
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import rq"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("no rq for %s here (package python3-rq)" % python)
    for name, text in ("tasks.py", TASKS), ("ask.py", ASK):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.start("redis", ["redis-server", "--port", "0", "--unixsocket", s.path("redis.sock"), "--save", "", "--dir", s.where])
    s.wait("redis-server answers", lambda: "ready to accept" in s.output("redis").lower())
    env = {**os.environ, "PYTHONPATH": s.where, "LC_ALL": "C.UTF-8"}
    for name in "shop", "other":
        s.start("worker_" + name, [python, "/usr/bin/rq", "worker", "--url", "unix://" + s.path("redis.sock"), name], env=env)
        s.wait("the worker listens", lambda name=name: "Listening on" in s.output("worker_" + name), 25)

    def ask(queue, what):
        return [python, "ask.py", queue, what]

    s.check("a job is done", "result 42" in s.out(ask("shop", "mail")))
    s.out(ask("other", "keys"))

    def openssl(name):
        return [q for p in children(s.pid("worker_" + name)) for q in children(p) if proc(q, "comm") == "openssl\n"][0]

    def queued():
        return s.out(["redis-cli", "-s", "redis.sock", "LLEN", "rq:queue:shop"])

    s.wait("the other worker works", lambda: openssl("other"))
    s.role("bystander", openssl("other"))

    s.begin()
    s.out(ask("shop", "keys"))
    s.wait("openssl runs", lambda: openssl("shop"))
    s.role("openssl", openssl("shop"))
    s.role("horse", s.child("worker_shop"))
    victim = s.start("victim", ask("shop", "mail"))
    s.wait("the job is queued", lambda: "queued" in s.output("victim"))
    s.during("the job is in the queue", lambda: queued() == "1")
    s.during("openssl computes", lambda: s.state("openssl") == "R" and s.pid("openssl") in children(s.pid("horse")))
    s.during("the worker's process waits for openssl", lambda: s.state("horse") == "S" and not s.uses_cpu("horse", 0.2, 0.2))
    s.during("the victim asks", lambda: victim.poll() is None and "result" not in s.output("victim"))
    s.during("redis-server is not busy", lambda: not s.uses_cpu("redis", 0.4, 0.2))
    s.hang(victim="victim", culprits=["openssl"], causes=["busy", "queueing", "polling"], vague=["horse", "worker_shop"],
           wrong=["bystander", "worker_other", "redis", "test"])
    yield
    os.kill(s.pid("openssl"), 15)
    s.ended("victim")
    s.check("the result came", "result 42" in s.output("victim"))
