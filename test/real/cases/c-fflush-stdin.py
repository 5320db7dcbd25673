# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread of a C program waits in fflush(NULL) for the lock of stdin. Another thread has this lock, in fgets: it reads
from a perl that sleeps until its next try."""
import os
import signal

HELD_OUT = False
NEEDS = {"gcc": "gcc", "perl": "perl", "sh": "dash"}
TILL = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *saves(void *arg)
{
    char name[64];
    FILE *orders = fopen("asked", "r"); /* a named pipe */
    if (!orders || !fgets(name, sizeof(name), orders))
        return NULL;
    fclose(orders);
    fflush(NULL); /* all that was printed shall be on the disk */
    dprintf(1, "saved %s", name);
    return arg;
}

static void *idles(void *arg)
{
    for (;;)
        pause();
    return arg;
}

int main(void)
{
    char line[64];
    pthread_t t, i;
    pthread_create(&i, NULL, idles, NULL);
    pthread_setname_np(i, "idle");
    pthread_create(&t, NULL, saves, NULL);
    pthread_setname_np(t, "saver");
    while (fgets(line, sizeof(line), stdin))
        dprintf(1, "price %s", line);
    pthread_join(t, NULL);
    return 0;
}
"""
PRICES = """
$SIG{USR1} = sub {};
$| = 1;
print "17\\n";
sleep 3600;
print "18\\n";
"""


def play(s):
    for name, text in ("till.c", TILL), ("prices.pl", PRICES):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["gcc", "-O1", "-g", "-pthread", "-o", "till", "till.c"])
    for name in "asked", "prices":
        os.mkfifo(s.path(name))
    end = os.open(s.path("prices"), os.O_RDWR)  # so that nobody waits for the other side
    s.start("till", ["sh", "-c", "exec ./till < prices"])
    s.start("prices", ["sh", "-c", "exec perl prices.pl > prices"])
    s.wait("the first price is there", lambda: "price 17" in s.output("till"))
    os.close(end)
    s.wait("the threads are there", lambda: s.threads("till", "saver") and s.threads("till", "idle"))
    s.role("saver", s.pid("till"), s.threads("till", "saver")[0])
    s.role("idle", s.pid("till"), s.threads("till", "idle")[0])
    s.wait("the main thread waits for a price", lambda: s.syscall("till") == "read")
    s.wait("perl sleeps", lambda: s.syscall("prices") in ("nanosleep", "clock_nanosleep"))

    s.begin()
    with open(s.path("asked"), "w", encoding="ascii") as f:
        f.write("orders\n")
    s.wait("the saver waits for a lock", lambda: s.syscall("saver") == "futex")

    def pipe(role, fd):
        return os.readlink("/proc/%d/fd/%d" % (s.pid(role), fd))

    s.during("perl sleeps", lambda: s.syscall("prices") in ("nanosleep", "clock_nanosleep") and s.state("prices") == "S")
    s.during("the main thread reads from perl", lambda: s.syscall("till") == "read" and s.state("till") == "S" and
             pipe("till", 0) == pipe("prices", 1) == s.path("prices"))
    s.during("the saver waits for a lock", lambda: s.syscall("saver") == "futex" and "saved" not in s.output("till"))
    s.hang(victim="saver", culprits=["prices"], causes=["timer"], vague=["till"], wrong=["idle", "test"])
    yield
    os.kill(s.pid("prices"), signal.SIGUSR1)
    s.went_on("the saver is done", lambda: "saved orders" in s.output("till"))
    s.ended("till")
    s.check("both prices came", "price 18" in s.output("till"))
