/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs SECONDS: two threads compute one job each, for SECONDS. The main thread waits for a third
 * job. Prints the tids of the main thread (victim=) and of the workers (root=), and "hung". */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 2, LONGEST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static unsigned queue[LONGEST], put, taken; /* queue: the length of each job in ms */
static bool finished[LONGEST];

static void compute(unsigned ms)
{
	struct timespec from, now;
	volatile double x = 1;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		for (int i = 0; i < 100000; i++)
			x = x * 1.0000001 + 0.5;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	printf("root=%d\n", gettid());
	for (;;) {
		while (taken == put)
			pthread_cond_wait(&more, &lock);
		unsigned job = taken++;
		pthread_mutex_unlock(&lock);
		compute(queue[job]);
		pthread_mutex_lock(&lock);
		finished[job] = true;
		pthread_cond_broadcast(&done);
	}
	return NULL;
}

static unsigned submit(unsigned ms)
{
	pthread_mutex_lock(&lock);
	unsigned job = put++;
	queue[job] = ms;
	pthread_cond_signal(&more);
	pthread_mutex_unlock(&lock);
	return job;
}

static void wait_for(unsigned job)
{
	pthread_mutex_lock(&lock);
	while (!finished[job])
		pthread_cond_wait(&done, &lock);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	unsigned ms = 1000 * (argc > 1 ? atoi(argv[1]) : 8);
	pthread_t threads[WORKERS];

	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	usleep(300000);
	for (int i = 0; i < WORKERS; i++)
		submit(ms);
	usleep(100000);
	printf("victim=%d\nhung\n", getpid());
	fflush(stdout);
	wait_for(submit(1));
	pause();
	return 0;
}
