// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settings cpu|lock [ROUNDS] - takes 10 ms of CPU time in each of the ROUNDS (default: 15). "cpu":
 * one thread. "lock": two threads with 5 ms each: 4 ms with the lock and 1 ms without.
 */
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rounds = 15;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void compute(long ms)
{
	struct timespec t;
	long long from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	from = now = t.tv_sec * 1000000000LL + t.tv_nsec;
	while (now < from + ms * 1000000) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = t.tv_sec * 1000000000LL + t.tv_nsec;
	}
}

static void *thread(void *arg)
{
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		compute(4);
		pthread_mutex_unlock(&lock);
		compute(1);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 2 || argc > 3)
		errx(2, "usage: settings cpu|lock [ROUNDS]");
	if (argc == 3)
		rounds = atoi(argv[2]);
	if (!strcmp(argv[1], "cpu")) {
		compute(10L * rounds);
		return 0;
	}
	if (pthread_create(&t, NULL, thread, NULL))
		errx(1, "cannot start a thread");
	thread(NULL);
	pthread_join(t, NULL);
	return 0;
}
