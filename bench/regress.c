// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * regress.c - a command of about 100 ms that does a little of everything, and more of one thing on
 * request.
 *
 *   regress [KIND PERCENT]
 *
 * KIND gets PERCENT of 100 ms more:
 *   lock   main waits longer for a mutex that a worker holds
 *   cpu    main computes longer
 *   sleep  main sleeps longer
 *   fsync  main syncs a file in the present directory for a longer time
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_MS 1000000LL
#define WHOLE_NS  (100 * NS_PER_MS)

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t begin;
static int64_t hold_ns = 30 * NS_PER_MS;
static volatile uint64_t sink;

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_for(int64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

__attribute__((noinline)) static void *rebuild_index(void *arg)
{
	pthread_mutex_lock(&index_lock);
	pthread_barrier_wait(&begin);
	sleep_for(hold_ns);
	pthread_mutex_unlock(&index_lock);
	return arg;
}

__attribute__((noinline)) static void load_index(void)
{
	pthread_t worker;

	pthread_barrier_init(&begin, NULL, 2);
	if (pthread_create(&worker, NULL, rebuild_index, NULL))
		exit(1);
	pthread_barrier_wait(&begin);
	pthread_mutex_lock(&index_lock);
	pthread_mutex_unlock(&index_lock);
	pthread_join(worker, NULL);
}

__attribute__((noinline)) static void parse(int64_t ns)
{
	int64_t until = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < until)
		for (int i = 0; i < 1000; i++)
			sink += (uint64_t)i;
}

__attribute__((noinline)) static void wait_for_peer(int64_t ns)
{
	sleep_for(ns);
}

__attribute__((noinline)) static void save(int64_t ns)
{
	char name[] = "regress.XXXXXX";
	int fd = mkstemp(name);
	int64_t until = now(CLOCK_MONOTONIC) + ns;

	if (fd < 0)
		exit(1);
	unlink(name);
	do {
		if (write(fd, name, sizeof(name)) < 0 || fsync(fd))
			exit(1);
	} while (now(CLOCK_MONOTONIC) < until);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 2 ? argv[1] : "";
	int64_t more = argc > 2 ? (int64_t)(atof(argv[2]) / 100 * WHOLE_NS) : 0;

	hold_ns += strcmp(kind, "lock") ? 0 : more;
	load_index();
	parse(30 * NS_PER_MS + (strcmp(kind, "cpu") ? 0 : more));
	wait_for_peer(20 * NS_PER_MS + (strcmp(kind, "sleep") ? 0 : more));
	save(20 * NS_PER_MS + (strcmp(kind, "fsync") ? 0 : more));
	return 0;
}
