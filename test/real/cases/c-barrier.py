# SPDX-License-Identifier: GPL-2.0-or-later
"""Threads of a C program wait at a barrier for the last thread, which reads from a gzip that
SIGSTOP has stopped."""
import contextlib
import os
import signal

from scene import descendants, proc

HELD_OUT = False
NEEDS = {"gcc": "gcc", "gzip": "gzip"}

# Four loaders and the main thread wait for each other at a barrier. The thread `idle` waits alone at another barrier.
LOAD = r"""
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_barrier_t loaded, other;
static long sizes[4];
static char **parts;

static void *load(void *arg)
{
    long n = (long)arg;
    char name[16], cmd[256], buffer[4096];
    snprintf(name, sizeof(name), "loader%ld", n);
    pthread_setname_np(pthread_self(), name);
    snprintf(cmd, sizeof(cmd), "exec gzip -dc %s", parts[n]);
    FILE *f = popen(cmd, "r");
    for (size_t got; (got = fread(buffer, 1, sizeof(buffer), f)) > 0; usleep(1000))
        sizes[n] += got;
    pclose(f);
    pthread_barrier_wait(&loaded);
    return NULL;
}

static void *idle(void *arg)
{
    pthread_setname_np(pthread_self(), "idle");
    pthread_barrier_wait(&other);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[4], i;
    parts = argv + 1;
    if (argc != 5)
        return 3;
    pthread_barrier_init(&loaded, NULL, 5);
    pthread_barrier_init(&other, NULL, 2);
    pthread_create(&i, NULL, idle, NULL);
    for (long n = 0; n < 4; n++)
        pthread_create(&t[n], NULL, load, (void *)n);
    pthread_barrier_wait(&loaded);
    printf("loaded %ld\n", sizes[0] + sizes[1] + sizes[2] + sizes[3]);
    return 0;
}
"""
SIZES = [1 << 16, 1 << 16, 1 << 21, 1 << 16]  # the third part takes half a second


def play(s):
    with open(s.path("load.c"), "w", encoding="ascii") as f:
        f.write(LOAD)
    s.out(["gcc", "-O1", "-g", "-pthread", "-o", "load", "load.c"])
    for n, size in enumerate(SIZES):
        with open(s.path("part%d" % n), "wb") as f:
            f.write(os.urandom(size))
        s.out(["gzip", "-k", s.path("part%d" % n)])
    s.start("bystander", ["gzip", "-c"], talk=True)

    s.begin()
    victim = s.start("victim", [s.path("load"), *[s.path("part%d.gz" % n) for n in range(4)]])

    def unzips():
        """{part: the gzip that reads it}"""
        found = {}
        for pid in descendants(victim.pid):
            with contextlib.suppress(OSError):  # it has ended
                words = proc(pid, "cmdline").split("\0")
                if words[0] == "gzip":
                    found[words[2]] = pid
        return found

    def sleepers():
        """The threads that wait for a futex."""
        return [t for t in s.threads("victim") if proc(victim.pid, "syscall", t).split()[0] == "202"]

    part = s.path("part2.gz")
    s.wait("gzip reads the third part", lambda: part in unzips())
    os.kill(s.role("gzip", unzips()[part]), signal.SIGSTOP)
    s.wait("gzip stops", lambda: s.state("gzip") == "T")
    s.wait("the other parts are loaded", lambda: list(unzips()) == [part] and len(sleepers()) == 5)
    for n in range(4):
        s.role("loader%d" % n, victim.pid, s.threads("victim", "loader%d" % n)[0])
    s.role("idle", victim.pid, s.threads("victim", "idle")[0])

    def at(role):
        """The futex on which a thread sleeps."""
        pid, tid = s.roles[role]
        with open("/proc/%d/task/%d/syscall" % (pid, tid), encoding="ascii") as f:
            v = f.read().split()
        return v[1] if v[0] == "202" else None

    s.during("gzip is stopped", lambda: s.state("gzip") == "T")
    s.during("the third thread reads from gzip", lambda: s.syscall("loader2") == "read")
    s.during("the others wait at the same barrier",
             lambda: at("victim") is not None and {at(r) for r in ("loader0", "loader1", "loader3")} == {at("victim")})
    s.during("the idle thread waits at another one", lambda: at("idle") not in (None, at("victim")))
    s.during("the program waits", lambda: victim.poll() is None and s.output("victim") == "")
    s.hang(victim="victim", culprits=["gzip", "test"], causes=["stopped"], vague=["loader2"],
           stuck=["loader0", "loader1", "loader3"], wrong=["idle", "bystander"])
    yield
    os.kill(s.pid("gzip"), signal.SIGCONT)
    s.ended("victim")
    s.check("all is loaded", s.output("victim") == "loaded %d\n" % sum(SIZES))
