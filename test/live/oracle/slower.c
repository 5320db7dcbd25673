// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * slower DIR [WHAT] - a command with a thread, a lock, a file, a sleep and a loop. With WHAT, one of
 * these takes longer:
 *
 * 	lock	the thread sleeps for longer while it holds the lock that the main thread wants
 * 	disk	the main thread syncs its file more often
 * 	sleep	the main thread sleeps for longer
 * 	run	the main thread computes for longer
 */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t held;
static const char *slow = "";
static volatile uint64_t sum;

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t))
		;
}

static int is_slow(const char *what)
{
	return !strcmp(slow, what);
}

static void *load_index(void *arg)
{
	pthread_setname_np(pthread_self(), "indexer");
	pthread_mutex_lock(&table_lock);
	pthread_barrier_wait(&held);
	nap(is_slow("lock") ? 400 : 30);
	pthread_mutex_unlock(&table_lock);
	return arg;
}

static void take_lock(const char *dir)
{
	pthread_mutex_lock(&table_lock);
	pthread_mutex_unlock(&table_lock);
}

static void save_log(const char *dir)
{
	static char text[256 << 10];
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/job.log", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		err(1, "%s", path);
	for (int i = 0; i < (is_slow("disk") ? 150 : 2); i++)
		if (write(fd, text, sizeof(text)) < 0 || fsync(fd))
			err(1, "%s", path);
	close(fd);
}

static void have_a_break(const char *dir)
{
	nap(is_slow("sleep") ? 350 : 25);
}

static void compute(const char *dir)
{
	uint64_t n = is_slow("run") ? 2000000000 : 100000000;

	for (uint64_t i = 0; i < n; i++)
		sum += i;
}

int main(int argc, char **argv)
{
	static void (*const steps[])(const char *dir) = { take_lock, save_log, have_a_break, compute };
	pthread_t thread;

	if (argc < 2)
		errx(2, "usage: slower DIR [lock|disk|sleep|run]");
	slow = argc > 2 ? argv[2] : "";
	if (pthread_barrier_init(&held, NULL, 2) || pthread_create(&thread, NULL, load_index, NULL))
		errx(1, "cannot make a thread");
	pthread_barrier_wait(&held);
	for (int i = 0; i < 4; i++)
		steps[i](argv[1]);
	pthread_join(thread, NULL);
	return 0;
}
