/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pingpong ROUNDS [ROUNDS_PER_SECOND]
 *
 * Two processes on one CPU pass a byte to each other through pipes. A round is two switches, one or
 * two wakes, and nearly no work: the worst case for a tracer of waits. From a rate of 2000 on, the
 * rounds come in bursts of ROUNDS_PER_SECOND / 1000 rounds, rounded down: 1000 to 1500 bursts a second.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1)
		if (write(out, &c, 1) != 1)
			exit(1);
	exit(0);
}

static void sleep_until(struct timespec *t, long add_ns)
{
	t->tv_nsec += add_ns;
	while (t->tv_nsec >= 1000000000) {
		t->tv_nsec -= 1000000000;
		t->tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL) == EINTR)
		;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 0, rate = argc > 2 ? atol(argv[2]) : 0, burst;
	int ping[2], pong[2];
	cpu_set_t cpu;
	struct timespec t;
	char c = 'x';

	if (rounds <= 0 || rate < 0) {
		fprintf(stderr, "usage: pingpong ROUNDS [ROUNDS_PER_SECOND]\n");
		return 2;
	}
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) < 0)
		die("sched_setaffinity");
	if (pipe(ping) < 0 || pipe(pong) < 0)
		die("pipe");
	switch (fork()) {
	case -1:
		die("fork");
		break;
	case 0:
		close(ping[1]);
		close(pong[0]);
		echo(ping[0], pong[1]);
	}
	close(ping[0]);
	close(pong[1]);
	burst = rate >= 1000 ? rate / 1000 : 1;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (long i = 0; i < rounds; i++) {
		if (write(ping[1], &c, 1) != 1 || read(pong[0], &c, 1) != 1)
			die("pipe");
		if (rate && (i + 1) % burst == 0)
			sleep_until(&t, burst * 1000000000 / rate);
	}
	close(ping[1]);
	return wait(NULL) < 0;
}
