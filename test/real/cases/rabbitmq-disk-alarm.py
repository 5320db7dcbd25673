# SPDX-License-Identifier: GPL-2.0-or-later
"""A Python publisher (pika) waits until its broker confirms a message. The broker, RabbitMQ, has little room on its disk, and so
has stopped to read from all connections that publish."""
import glob
import os
import subprocess

from scene import Missing, descendants, proc

HELD_OUT = False
NEEDS = {"rabbitmqctl": "rabbitmq-server", "python3": "python3", "mount": "mount", "dd": "coreutils", "ss": "iproute2"}
PYTHON = "/usr/bin/python3"
CONFIG = """listeners.tcp.1 = 127.0.0.1:%s
disk_free_limit.absolute = 20MB
"""
PUBLISHER = """
import sys
import pika
to = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]), heartbeat=0))
channel = to.channel()
channel.queue_declare("orders")
channel.confirm_delivery()
n = 0
for line in sys.stdin:
    for i in range(int(line)):
        channel.basic_publish("", "orders", b"order %d" % n + bytes(2 << 20))
        n += 1
        print("order", n, flush=True)
"""
CONSUMER = """
import sys
import pika
channel = pika.BlockingConnection(pika.ConnectionParameters("127.0.0.1", int(sys.argv[1]), heartbeat=0)).channel()
print("declared", channel.queue_declare("orders", passive=True).method.queue)
"""


def play(s):
    server = glob.glob("/usr/lib/rabbitmq/bin/rabbitmq-server")
    if not server or subprocess.run([PYTHON, "-c", "import pika"], stderr=subprocess.DEVNULL, check=False).returncode:
        raise Missing("needs the packages rabbitmq-server and python3-pika")
    port, disk = s.port(), s.path("disk")
    for name, text in ("rabbitmq.conf", CONFIG % port), ("publisher.py", PUBLISHER), ("consumer.py", CONSUMER), \
            ("plugins", "[]."):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    os.mkdir(disk)
    s.out(["mount", "-t", "tmpfs", "-o", "size=64m,mode=755", "broker", disk])
    s.callback(s.out, ["umount", "-l", disk])
    settings = {"NODENAME": "shop%s@localhost" % port, "CONFIG_FILE": s.path("rabbitmq.conf"), "MNESIA_BASE": disk,
                "LOG_BASE": s.where, "LOGS": "-", "PID_FILE": s.path("pid"), "ENABLED_PLUGINS_FILE": s.path("plugins"),
                "GENERATED_CONFIG_DIR": s.path("made"), "DIST_PORT": s.port()}
    s.start("service", [server[0]], env={
        **os.environ, "HOME": s.where, "ERL_EPMD_PORT": s.port(), "ERL_EPMD_ADDRESS": "127.0.0.1",
        **{"RABBITMQ_" + name: value for name, value in settings.items()}})
    s.wait("the broker listens", lambda: s.connects(port), 60)
    s.role("broker", next(p for p in descendants(s.pid("service")) if proc(p, "comm") == "beam.smp\n"))
    victim = s.start("victim", [PYTHON, "publisher.py", port], talk=True)
    s.say("victim", "2")
    s.wait("two orders are published", lambda: s.output("victim").split()[-2:] == ["order", "2"], 30)

    s.out(["dd", "if=/dev/zero", "of=disk/old-backup", "bs=1M", "count=46"])
    s.wait("the broker sees the full disk", lambda: "disk resource limit alarm set" in s.output("service"), 20)

    def unread():
        """The bytes of the victim that the broker has not read."""
        rows = s.out(["ss", "-tnpH", "state", "established", "dport = :" + port]).splitlines()
        mine = next(row.split()[2].rpartition(":")[2] for row in rows if "pid=%d," % victim.pid in row)
        return int(s.out(["ss", "-tnH", "state", "established", "sport = :" + port, "dport = :" + mine]).split()[0])

    s.begin()
    s.say("victim", "4")
    s.wait("the broker does not read the victim's message", lambda: unread() > 0)
    said = s.output("victim")
    s.during("the broker does not read the victim's message", lambda: unread() > 0 and s.output("victim") == said)
    s.during("the alarm is still set", lambda: "alarm cleared" not in s.output("service") and
             os.statvfs(disk).f_bavail * os.statvfs(disk).f_bsize < 20e6)
    s.during("the victim waits", lambda: victim.poll() is None and
             s.syscall("victim") in ("poll", "ppoll", "epoll_wait", "select"))
    s.during("the broker answers others", lambda: s.out([PYTHON, "consumer.py", port], timeout=10) == "declared orders")
    s.hang(victim="victim", culprits=["broker"], causes=["slow-peer", "external", "missing-wakeup", "queueing"],
           wrong=["service", "test"])
    yield
    os.unlink(os.path.join(disk, "old-backup"))
    s.wait("the broker sees the free disk", lambda: "alarm cleared" in s.output("service"), 25)  # looks each 10 s
    s.went_on("all orders are published", lambda: s.output("victim").split()[-2:] == ["order", "6"])
    victim.stdin.close()
    s.ended("victim")
