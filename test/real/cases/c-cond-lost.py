# SPDX-License-Identifier: GPL-2.0-or-later
"""A thread of a C program waits for a condition variable. The other thread signalled it just before the wait."""
import os
import signal

HELD_OUT = True
NEEDS = {"gcc": "gcc"}

# The printer looks at `ready` without the mutex. Between this look and its wait, the reader sets
# `ready` and signals. Only the printer takes SIGUSR1, and then signals again.
PRINT = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, spare = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static volatile int ready;

static void *reads(void *arg)
{
    usleep(20000);
    ready = 1;
    pthread_cond_signal(&changed);
    for (;;)
        usleep(100000);
    return arg;
}

static void *idles(void *arg)
{
    pthread_mutex_lock(&spare);
    for (;;)
        pthread_cond_wait(&never, &spare);
    return arg;
}

static void again(int sig)
{
    (void)sig;
    pthread_cond_signal(&changed);
}

int main(void)
{
    pthread_t t;
    char name[64];
    sigset_t usr1;
    signal(SIGUSR1, again);
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    pthread_create(&t, NULL, idles, NULL);
    pthread_setname_np(t, "idle");
    printf("ready %p %p\n", (void *)&changed, (void *)&ready);
    fflush(stdout);
    if (!fgets(name, sizeof(name), stdin))
        return 3;
    pthread_create(&t, NULL, reads, NULL);
    pthread_setname_np(t, "reader");
    pthread_sigmask(SIG_UNBLOCK, &usr1, NULL);
    while (!ready) {
        usleep(100000); /* it prepares the page */
        pthread_mutex_lock(&mutex);
        pthread_cond_wait(&changed, &mutex);
        pthread_mutex_unlock(&mutex);
    }
    printf("printed %s", name);
    return 0;
}
"""


def play(s):
    with open(s.path("print.c"), "w", encoding="ascii") as f:
        f.write(PRINT)
    s.out(["gcc", "-O1", "-g", "-pthread", "-o", "print", "print.c"])
    victim = s.start("victim", [s.path("print")], talk=True)
    s.wait("the program is ready", lambda: "ready" in s.output("victim"))
    changed, ready = (int(x, 16) for x in s.output("victim").split()[1:])
    s.role("idle", victim.pid, s.threads("victim", "idle")[0])

    def futex():
        with open("/proc/%d/task/%d/syscall" % (victim.pid, victim.pid), encoding="ascii") as f:
            v = f.read().split()
        return int(v[1], 16) if v[0] == "202" else 0

    def is_ready():
        with open("/proc/%d/mem" % victim.pid, "rb") as f:
            f.seek(ready)
            return int.from_bytes(f.read(4), "little")

    s.begin()
    s.say("victim", "page")
    s.wait("the other thread is there", lambda: s.threads("victim", "reader"))
    s.role("reader", victim.pid, s.threads("victim", "reader")[0])
    s.wait("the program waits", lambda: changed <= futex() < changed + 48)
    s.during("the main thread waits for the condition variable", lambda: changed <= futex() < changed + 48)
    s.during("the condition is true", lambda: is_ready() == 1)
    s.during("the other thread does other work", lambda: s.state("reader") == "S" and s.syscall("reader") != "futex")
    s.during("nothing is printed", lambda: victim.poll() is None and "printed" not in s.output("victim"))
    # The wakeup came too early, and no other one will come. Both threads have a part in this.
    s.hang(victim="victim", culprits=["victim", "reader"], causes=["missing-wakeup"], wrong=["idle", "test"])
    yield
    os.kill(victim.pid, signal.SIGUSR1)
    s.ended("victim")
    s.check("the page is printed", "printed page" in s.output("victim"))
