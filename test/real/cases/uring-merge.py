# SPDX-License-Identifier: GPL-2.0-or-later
"""A C program merges two sorted lists, which it reads with io_uring, and waits for a line of the second list. The seq that
writes this list is stopped by SIGSTOP. The seq of the first list waits, because its pipe is full."""
import os
import re
import signal

from scene import Missing

HELD_OUT = False
NEEDS = {"gcc": "gcc", "seq": "coreutils", "mkfifo": "coreutils"}
ENTER = "426"  # io_uring_enter
MERGE = r"""
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    int fd, done;
    size_t at, used;
    char buffer[8192];
};

static char *line_end(struct list *l) { return memchr(l->buffer + l->at, '\n', l->used - l->at); }

static void fill(struct io_uring *ring, struct list *l)
{
    while (!l->done && !line_end(l)) {
        memmove(l->buffer, l->buffer + l->at, l->used - l->at);
        l->used -= l->at;
        l->at = 0;
        io_uring_prep_read(io_uring_get_sqe(ring), l->fd, l->buffer + l->used, sizeof(l->buffer) - l->used, 0);
        io_uring_submit(ring);
        struct io_uring_cqe *cqe;
        if (io_uring_wait_cqe(ring, &cqe) || cqe->res < 0)
            exit(3);
        l->done = cqe->res == 0;
        l->used += cqe->res;
        io_uring_cqe_seen(ring, cqe);
    }
}

int main(int argc, char **argv)
{
    static struct list lists[2];
    struct io_uring ring;
    long merged = 0;
    if (argc != 3 || io_uring_queue_init(8, &ring, 0))
        return 2;
    for (int i = 0; i < 2; i++)
        if ((lists[i].fd = open(argv[i + 1], O_RDONLY)) < 0)
            return 2;
    while (1) {
        fill(&ring, &lists[0]);
        fill(&ring, &lists[1]);
        if (lists[0].done || lists[1].done)
            break;
        struct list *l = &lists[atol(lists[0].buffer + lists[0].at) > atol(lists[1].buffer + lists[1].at)];
        l->at = line_end(l) + 1 - l->buffer;
        if (++merged % 100000 == 0)
            printf("merged %ld\n", merged), fflush(stdout);
    }
    return 0;
}
"""


def play(s):
    if not os.path.exists("/usr/include/liburing.h"):
        raise Missing("needs the package liburing-dev")
    with open(s.path("merge.c"), "w", encoding="ascii") as f:
        f.write(MERGE)
    s.out(["gcc", "-O1", "-o", "merge", "merge.c", "-luring"], timeout=120)
    s.out(["mkfifo", "odd", "even"])
    for name, first in ("odd", 1), ("even", 2):
        s.start(name, ["sh", "-c", "exec >%s; exec seq %d 2 2000000000" % (name, first)])
    s.start("victim", [s.path("merge"), "odd", "even"])
    s.start("bystander", ["sh", "-c", "sleep 600 | exec seq 5"])

    def merged():
        return int((re.findall(r"merged (\d+)", s.output("victim")) or [0])[-1])

    s.wait("the program merges", lambda: merged() > 0, 60)
    s.begin()
    os.kill(s.pid("even"), signal.SIGSTOP)
    s.wait("the seq of the second list stops", lambda: s.state("even") == "T")
    s.wait("the program waits for its ring", lambda: s.syscall("victim") == ENTER and not s.uses_cpu("victim", 0.02, 0.2))
    n = merged()
    s.during("the seq of the second list is stopped", lambda: s.state("even") == "T" and
             os.readlink("/proc/%d/fd/1" % s.pid("even")) == s.path("even"))
    s.during("the program waits for its ring", lambda: s.syscall("victim") == ENTER and s.state("victim") == "S")
    s.during("the first seq waits for its full pipe", lambda: s.syscall("odd") == "write" and "pipe" in s.wchan("odd"))
    s.during("no line is merged", lambda: merged() == n)
    s.hang(victim="victim", culprits=["even", "test"], causes=["stopped"], wrong=["odd", "bystander"])
    yield
    os.kill(s.pid("even"), signal.SIGCONT)
    s.went_on("more lines are merged", lambda: merged() > n)
