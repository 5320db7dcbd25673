// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipeline.c - a command of 80 ms with three threads, to test which function the command waits for.
 *
 *   report   calls fetch_page() 19 times, 4 ms each: the command waits for report
 *   cache    calls prefetch() 20 times, 2 ms each: the command waits for it too, but cache ends early
 *   logger   calls write_log() until the command ends: nothing waits for it
 *
 * After report and cache, a child process calls fetch_page() once. The command waits for the child.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void sleep_ms(long ms)
{
	struct timespec t = { 0, ms * 1000000 };

	nanosleep(&t, NULL);
}

__attribute__((noinline)) void fetch_page(void);
void fetch_page(void)
{
	sleep_ms(4);
}

__attribute__((noinline)) void prefetch(void);
void prefetch(void)
{
	sleep_ms(2);
}

__attribute__((noinline)) void write_log(void);
void write_log(void)
{
	sleep_ms(4);
}

static void *report(void *arg)
{
	pthread_setname_np(pthread_self(), "report");
	for (int i = 0; i < 19; i++)
		fetch_page();
	return arg;
}

static void *cache(void *arg)
{
	pthread_setname_np(pthread_self(), "cache");
	for (int i = 0; i < 20; i++)
		prefetch();
	return arg;
}

static void *logger(void *arg)
{
	pthread_setname_np(pthread_self(), "logger");
	for (;;)
		write_log();
	return arg;
}

static void start(pthread_t *t, void *(*fn)(void *))
{
	if (pthread_create(t, NULL, fn, NULL))
		exit(1);
}

int main(void)
{
	pthread_t t[3];
	pid_t child;

	start(&t[0], report);
	start(&t[1], cache);
	start(&t[2], logger);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	child = fork();
	if (!child) {
		fetch_page();
		_exit(0);
	}
	waitpid(child, NULL, 0);
	return 0;
}
