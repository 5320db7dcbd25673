# SPDX-License-Identifier: GPL-2.0-or-later
"""A C program waits, because its POSIX message queue is full. The CPU quota of the reader's control group is 1 %."""
import os

from scene import set_quota, throttled

HELD_OUT = True
NEEDS = {"gcc": "gcc"}

# The reader computes for each letter. The writer sends twenty letters; the queue has room for two.
POST = r"""
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct mq_attr attr = {.mq_maxmsg = 2, .mq_msgsize = 64};
    char letter[64] = "letter";
    if (argc < 3)
        return 3;
    mqd_t q = mq_open(argv[2], O_CREAT | O_RDWR, 0600, &attr);
    if (q == (mqd_t)-1)
        return 4;
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("ready");
    for (int n = 1; n <= 20; n++) {
        if (!strcmp(argv[1], "write")) {
            if (mq_send(q, letter, sizeof(letter), 0))
                return 5;
            printf("sent %d\n", n);
        } else {
            if (mq_receive(q, letter, sizeof(letter), NULL) != sizeof(letter))
                return 6;
            volatile unsigned x = 1;
            for (unsigned i = 0; i < 60000000; i++)
                x = x * 1103515245 + 12345;
            printf("read %d\n", n);
        }
    }
    return 0;
}
"""


def play(s):
    group, old = s.control_group("cpu", "mqueue-quota")
    with open(s.path("post.c"), "w", encoding="ascii") as f:
        f.write(POST)
    s.out(["gcc", "-O1", "-o", "post", "post.c", "-lrt"])
    queues = {name: "/ctrace-%s-%d" % (name, os.getpid()) for name in ("post", "other")}
    for name in queues.values():
        s.callback(s.out, ["python3", "-c", "import ctypes; ctypes.CDLL(None).mq_unlink(b'%s')" % name])
    reader = s.start("reader", [s.path("post"), "read", queues["post"]])
    s.start("bystander", [s.path("post"), "read", queues["other"]])
    s.wait("the readers are ready", lambda: "ready" in s.output("reader") and "ready" in s.output("bystander"))
    with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as f:
        f.write(str(reader.pid))
    set_quota(group, old, 1000)
    seen = [0]

    def still_throttled():
        before, seen[0] = seen[0], throttled(group)
        return seen[0] > before

    s.begin()
    victim = s.start("victim", [s.path("post"), "write", queues["post"]])
    s.wait("the queue is full", lambda: s.output("victim").endswith("sent 3\n"))
    s.wait("the writer waits", lambda: s.state("victim") == "S" and s.syscall("victim") == "242")
    s.wait("the reader is throttled", lambda: throttled(group) > 3)
    s.during("the reader was throttled again", still_throttled)
    s.during("the reader wants to run", lambda: s.state("reader") == "R" and not s.uses_cpu("reader", 0.2))
    s.during("the writer waits in mq_timedsend", lambda: victim.poll() is None and s.syscall("victim") == "242" and
             s.state("victim") == "S")
    s.hang(victim="victim", culprits=["reader"], causes=["starved"], wrong=["bystander", "test"])
    yield
    set_quota(group, old, -1)
    s.ended("victim")
    s.check("all letters are sent", "sent 20" in s.output("victim"))
