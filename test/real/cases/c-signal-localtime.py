# SPDX-License-Identifier: GPL-2.0-or-later
"""A script waits for a C program that hangs for ever. A signal came while the program was in localtime(). The handler of the
signal calls localtime() too, and waits for the lock of the C library's time zone, which its own thread has."""
import os
import signal

HELD_OUT = True
NEEDS = {"gcc": "gcc", "sh": "dash"}
STAMP = r"""
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long lines;

static void says(int sig)
{
    time_t now = time(NULL);
    char text[64];
    size_t n = strftime(text, sizeof(text), "%H:%M:%S alive\n", localtime(&now));
    (void)sig;
    if (write(2, text, n) < 0)
        _exit(3);
}

int main(int argc, char **argv)
{
    (void)argv;
    signal(SIGUSR1, says);
    puts("ready");
    fflush(stdout);
    for (time_t t = 0; argc == 1; t += 3600) {
        struct tm *tm = localtime(&t);
        lines += tm->tm_hour < 24;
        if (lines % 50000 == 0)
            usleep(1000);
    }
    for (;;)
        pause();
}
"""
SCRIPT = """#!/bin/sh
./stamp
echo "ended with $?"
"""


def play(s):
    for name, text in ("stamp.c", STAMP), ("night", SCRIPT):
        with open(s.path(name), "w", encoding="ascii") as f:
            f.write(text)
    s.out(["gcc", "-O1", "-g", "-o", "stamp", "stamp.c"])
    # In this one, the signal comes while the program sleeps. So its handler goes on.
    other = s.start("bystander", [s.path("stamp"), "idle"])
    s.wait("the other program is ready", lambda: "ready" in s.output("bystander") and s.syscall("bystander") == "34")
    other.send_signal(signal.SIGUSR1)
    s.wait("the other program lives", lambda: "alive" in s.output("bystander"))
    victim = s.start("victim", ["sh", "night"])
    s.wait("the program runs", lambda: "ready" in s.output("victim") and s.child("victim", "stamp"))
    s.role("stamp", s.child("victim", "stamp"))

    def waits():
        return s.syscall("stamp") == "futex" and s.state("stamp") == "S"

    def asks():
        if waits():
            return True
        os.kill(s.pid("stamp"), signal.SIGUSR1)
        return False

    s.begin()
    s.wait("the program waits in its handler", asks, 30)
    answers = s.output("victim").count("alive")

    def futex():
        """The address of the lock, and its value."""
        with open("/proc/%d/syscall" % s.pid("stamp"), encoding="ascii") as f:
            v = [int(x, 0) for x in f.read().split()[:5]]
        with open("/proc/%d/mem" % s.pid("stamp"), "rb") as f:
            f.seek(v[1])
            return v[1], v[2] & 128, int.from_bytes(f.read(4), "little"), v[4]

    address = futex()[0]
    with open("/proc/%d/maps" % s.pid("stamp"), encoding="ascii") as f:
        ranges = [line.split()[0].split("-") for line in f if "libc.so" in line]
    low, high = int(ranges[0][0], 16), int(ranges[-1][1], 16) + 0x10000  # the last one is its .bss
    s.check("it is a lock of the C library", low <= address < high)
    s.during("the program waits for a lock that is taken, private, and without a time limit",
             lambda: waits() and futex() == (address, 128, 2, 0))
    s.during("it has one thread, so nobody else has the lock", lambda: len(s.threads("stamp")) == 1)
    s.during("its handler does not end", lambda: s.output("victim").count("alive") == answers)
    s.during("the script waits", lambda: victim.poll() is None and s.wchan("victim") == "do_wait")
    s.hang(victim="victim", culprits=["stamp"], causes=["circular-wait", "missing-wakeup", "lock-holder"],
           wrong=["bystander", "test"])
    yield
    os.kill(s.pid("stamp"), signal.SIGTERM)
    s.ended("victim")
    s.check("the script says so", "ended with 143" in s.output("victim"))
