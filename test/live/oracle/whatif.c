// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * whatif SCENE [N] - numbered threads sleep, but thread N does not. Prints begin and end of the run,
 * and the tids of the main thread (victim) and of the others (worker1, worker2, ...). SCENE is one of
 * these:
 *
 *   join    the main thread waits for thread 1, and then for thread 2; thread 1 sleeps longer
 *   wait    as join, but with processes instead of threads
 *   convoy  the main thread waits for threads 1 to 3, which take turns with one lock
 *   pipe    the main thread sends bytes to thread 1, and then reads the answers; if N is 2, the main
 *           thread does not sleep
 */
#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WORKERS 3

static long skipped;
static pid_t tids[WORKERS + 1];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int to_worker[2], to_main[2];

static uint64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void work(long who, long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	if (who != skipped)
		nanosleep(&t, NULL);
}

static void *helper(void *arg)
{
	long who = (long)(intptr_t)arg;

	tids[who] = (pid_t)syscall(SYS_gettid);
	work(who, who == 1 ? 1000 : 700);
	return NULL;
}

static void *one_of_convoy(void *arg)
{
	long who = (long)(intptr_t)arg;

	tids[who] = (pid_t)syscall(SYS_gettid);
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		work(who, who == 1 ? 90 : 45);
		pthread_mutex_unlock(&lock);
		work(who, 10);
	}
	return NULL;
}

static void *fed(void *arg)
{
	char c;

	tids[1] = (pid_t)syscall(SYS_gettid);
	while (read(to_worker[0], &c, 1) == 1) {
		work(1, 50);
		if (write(to_main[1], &c, 1) != 1)
			break;
	}
	close(to_main[1]);
	return arg;
}

static void threads(void *(*run)(void *), int n)
{
	pthread_t t[WORKERS + 1];

	for (intptr_t i = 1; i <= n; i++)
		if (pthread_create(&t[i], NULL, run, (void *)i))
			errx(1, "pthread_create");
	for (int i = 1; i <= n; i++)
		pthread_join(t[i], NULL);
}

static void processes(void)
{
	for (int i = 1; i <= 2; i++) {
		tids[i] = fork();
		if (tids[i] == 0) {
			helper((void *)(intptr_t)i);
			_exit(0);
		}
	}
	for (int i = 1; i <= 2; i++)
		waitpid(tids[i], NULL, 0);
}

static void feed(void)
{
	pthread_t t;
	char c = 'x';

	if (pipe(to_worker) || pipe(to_main) || pthread_create(&t, NULL, fed, NULL))
		err(1, "pipe");
	for (int i = 0; i < 20; i++) {
		work(2, 30);
		if (write(to_worker[1], &c, 1) != 1)
			err(1, "write");
	}
	close(to_worker[1]);
	while (read(to_main[0], &c, 1) == 1)
		;
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";
	uint64_t begin = mono_ns();

	skipped = argc > 2 ? atol(argv[2]) : 0;
	if (!strcmp(scene, "join"))
		threads(helper, 2);
	else if (!strcmp(scene, "wait"))
		processes();
	else if (!strcmp(scene, "convoy"))
		threads(one_of_convoy, WORKERS);
	else if (!strcmp(scene, "pipe"))
		feed();
	else
		errx(2, "usage: whatif join|wait|convoy|pipe [N]");
	printf("begin=%llu\nend=%llu\nvictim=%d\n", (unsigned long long)begin, (unsigned long long)mono_ns(),
	       getpid());
	for (int i = 1; i <= WORKERS; i++)
		if (tids[i])
			printf("worker%d=%d\n", i, tids[i]);
	return 0;
}
