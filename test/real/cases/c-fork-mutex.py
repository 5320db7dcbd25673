# SPDX-License-Identifier: GPL-2.0-or-later
"""A C program waits for its child. The child waits for a mutex that was locked at the fork. fork
has not copied the thread that owns it."""
import os
import re
import signal

HELD_OUT = False
NEEDS = {"gcc": "gcc"}

# The main thread forks while `rotate` owns the mutex. SIGUSR1 ends the child.
PRINT = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t log_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t spare = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void *rotate(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&log_mutex);
        usleep(300000);
        pthread_mutex_unlock(&log_mutex);
        usleep(1000);
    }
    return arg;
}

static void *idle(void *arg)
{
    pthread_mutex_lock(&spare);
    for (;;)
        pthread_cond_wait(&never, &spare);
    return arg;
}

static void log_line(const char *text)
{
    pthread_mutex_lock(&log_mutex);
    puts(text);
    fflush(stdout);
    pthread_mutex_unlock(&log_mutex);
}

static void give_up(int sig)
{
    (void)sig;
    _exit(0);
}

int main(void)
{
    pthread_t t;
    setvbuf(stdout, NULL, _IOLBF, 0);
    pthread_create(&t, NULL, rotate, NULL);
    pthread_setname_np(t, "rotate");
    pthread_create(&t, NULL, idle, NULL);
    pthread_setname_np(t, "idle");
    log_line("ready");
    printf("mutex %p\n", (void *)&log_mutex);
    if (getchar() != 'g')
        return 3;
    while (pthread_mutex_trylock(&log_mutex) == 0) {
        pthread_mutex_unlock(&log_mutex);
        usleep(2000);
    }
    pid_t child = fork();
    if (child == 0) {
        signal(SIGUSR1, give_up);
        log_line("the child prints");
        _exit(4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    log_line("the parent goes on");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}
"""


def play(s):
    with open(s.path("print.c"), "w", encoding="ascii") as f:
        f.write(PRINT)
    s.out(["gcc", "-O1", "-g", "-pthread", "-o", "print", "print.c"])
    for name in "victim", "bystander":  # the bystander does not fork
        s.start(name, [s.path("print")], talk=True)
        s.wait("%s is ready" % name, lambda name=name: re.search("mutex 0x[0-9a-f]+\n", s.output(name)))
    for name in "rotate", "idle":
        s.role(name, s.pid("victim"), s.threads("victim", name)[0])
    address = int(re.search("mutex (0x[0-9a-f]+)", s.output("victim")).group(1), 16)

    def owner():
        """The owner's tid in the child's copy of the mutex, or 0 if no task waits for this copy."""
        with open("/proc/%d/mem" % s.pid("child"), "rb") as f:
            f.seek(address)
            lock, _, tid = (int.from_bytes(f.read(4), "little") for _ in range(3))
        return tid if lock == 2 else 0

    def waits_for():
        """The address of the futex on which the child sleeps."""
        with open("/proc/%d/syscall" % s.pid("child"), encoding="ascii") as f:
            return int(f.read().split()[1], 16)

    s.begin()
    s.say("victim", "g")
    s.wait("the child is there", lambda: s.child("victim"))
    s.role("child", s.child("victim"))
    s.wait("the child waits for the mutex", lambda: s.syscall("child") == "futex" and waits_for() == address)
    s.during("the child waits for the mutex", lambda: s.syscall("child") == "futex" and waits_for() == address)
    s.during("the owner is a thread of the parent", lambda: owner() == s.roles["rotate"][1])
    s.during("the child has no such thread", lambda: s.threads("child") == [s.pid("child")])
    s.during("the parent waits for the child", lambda: s.syscall("victim") == "wait4" and s.state("victim") == "S")
    s.during("the idle thread waits for something else", lambda: s.syscall("idle") == "futex")
    # No task can unlock the child's copy of the mutex.
    s.hang(victim="victim", culprits=["child"], causes=["lock-holder", "missing-wakeup"], vague=["rotate"],
           wrong=["idle", "bystander", "test"])
    yield
    os.kill(s.pid("child"), signal.SIGUSR1)
    s.ended("victim")
    s.check("the parent went on", "the parent goes on" in s.output("victim"))
