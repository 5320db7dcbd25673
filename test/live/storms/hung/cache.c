/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cache SECONDS: an event loop looks into a cache twenty times a second. After a line of input,
 * another thread locks the cache and sleeps. Prints the tids of the loop (victim=) and of the other
 * thread (root=), "ready", and "hung" when the cache is locked.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t told;
static unsigned seconds;
static unsigned long refreshed, looked;

static void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

static void *refresh(void *arg)
{
	char line[16];

	printf("root=%d\n", gettid());
	pthread_barrier_wait(&told);
	say("ready");
	while (fgets(line, sizeof(line), stdin)) {
		pthread_mutex_lock(&lock);
		say("hung");
		sleep(seconds);
		refreshed++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void look_up(void)
{
	pthread_mutex_lock(&lock);
	looked += refreshed;
	pthread_mutex_unlock(&lock);
}

static void loop(int epoll, int timer)
{
	struct epoll_event event;
	uint64_t ticks;

	while (epoll_wait(epoll, &event, 1, -1) == 1 && read(timer, &ticks, sizeof(ticks)) > 0)
		look_up();
}

int main(int argc, char **argv)
{
	const struct itimerspec often = { { 0, 50000000 }, { 0, 50000000 } };
	int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t thread;

	seconds = argc > 1 ? atoi(argv[1]) : 8;
	pthread_barrier_init(&told, NULL, 2);
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) || timerfd_settime(timer, 0, &often, NULL) ||
	    pthread_create(&thread, NULL, refresh, NULL))
		return 1;
	printf("victim=%d\n", getpid());
	pthread_barrier_wait(&told);
	loop(epoll, timer);
	return 1;
}
