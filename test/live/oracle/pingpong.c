// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pingpong MILLISECONDS [PAUSE_US] - two processes send one byte to and fro as fast as possible. After
 * each hundred rounds, the first process pauses for PAUSE_US.
 *
 * At its begin and at its end, each process prints its pid, the time, and how often it has blocked so far.
 * Between these two times, a trace must show as many blocks of the process as the difference of the two
 * counts.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int there[2], back[2];

static uint64_t boot_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long blocked(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_nvcsw;
}

static void mark(const char *who, const char *what)
{
	char line[128];
	int n = snprintf(line, sizeof(line), "%s_%s=%d %llu %ld\n", who, what, getpid(),
			 (unsigned long long)boot_ns(), blocked());

	if (write(1, line, n) != n)
		_exit(1);
}

static void pong(void)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(there[1]);
	close(back[0]);
	mark("pong", "begin");
	while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
		;
	mark("pong", "end");
	_exit(0);
}

int main(int argc, char **argv)
{
	uint64_t end = boot_ns() + (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	unsigned pause_us = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	cpu_set_t here;
	char c = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	if (sched_setaffinity(0, sizeof(here), &here) || pipe(there) || pipe(back))
		return 1;
	pid_t p = fork();
	if (p == 0)
		pong();
	close(there[0]);
	close(back[1]);
	mark("ping", "begin");
	while (boot_ns() < end) {
		for (int i = 0; i < 100; i++)
			if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				return 1;
		if (pause_us)
			usleep(pause_us);
	}
	mark("ping", "end");
	close(there[1]);
	return p < 0 || waitpid(p, NULL, 0) != p;
}
