/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm.c - makes as many events as it can for some time.
 *
 *   storm futex MS    two threads that wake each other, on one CPU
 *   storm messages MS one thread sends messages over a socket, the other polls the socket
 *   storm fork MS     processes that end at once
 *   storm threads MS  threads that end at once
 *   storm udp MS      datagrams over loopback, one at a time
 *   storm naps MS     very short sleeps
 *   storm signals MS  a process that sends itself signals
 *   storm names MS    a thread that renames itself
 *   storm locks MS    a file that is locked and unlocked
 *   storm crowd N MS  N threads that do nothing
 *
 * Prints the number of events: of wake-ups, messages, processes, and so on.
 */
#include <err.h>
#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_bool over;
static atomic_ulong events;

static void sleep_ms(unsigned long ms)
{
	const struct timespec ts = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&ts, NULL);
}

static unsigned long clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long)ts.tv_sec * 1000 + (unsigned long)ts.tv_nsec / 1000000;
}

struct pair {
	atomic_uint turn;
};

struct player {
	struct pair *pair;
	unsigned me;
};

static void on_first_cpu(void)
{
	cpu_set_t may, cpus;
	int first = 0;

	CPU_ZERO(&cpus);
	if (!sched_getaffinity(0, sizeof(may), &may))
		while (first < CPU_SETSIZE - 1 && !CPU_ISSET(first, &may))
			first++;
	CPU_SET(first, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void *futex_player(void *arg)
{
	const struct timespec limit = { .tv_nsec = 100000000 };
	struct player *p = arg;

	on_first_cpu();
	while (!atomic_load(&over)) {
		unsigned turn = atomic_load(&p->pair->turn);

		if (turn % 2 != p->me) {
			syscall(SYS_futex, &p->pair->turn, FUTEX_WAIT_PRIVATE, turn, &limit, NULL, 0);
			continue;
		}
		atomic_fetch_add(&p->pair->turn, 1);
		syscall(SYS_futex, &p->pair->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
		atomic_fetch_add(&events, 1);
	}
	return NULL;
}

static void storm_futex(unsigned long ms)
{
	static struct pair pair;
	struct player players[2];
	pthread_t threads[2];

	for (unsigned i = 0; i < 2; i++) {
		players[i] = (struct player){ &pair, i };
		if (pthread_create(&threads[i], NULL, futex_player, &players[i]))
			errx(1, "pthread_create");
	}
	sleep_ms(ms);
	atomic_store(&over, true);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void *message_sender(void *arg)
{
	int fd = *(int *)arg;

	while (!atomic_load(&over) && write(fd, "x", 1) == 1)
		atomic_fetch_add(&events, 1);
	close(fd);
	return NULL;
}

static void storm_messages(unsigned long ms)
{
	pthread_t thread;
	unsigned long end;
	char buf[1];
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) || pthread_create(&thread, NULL, message_sender, &fds[0]))
		err(1, "socketpair");
	end = clock_ms() + ms;
	while (clock_ms() < end)
		for (int i = 0; i < 1000; i++)
			if (recv(fds[1], buf, 1, MSG_DONTWAIT) < 0 && errno != EAGAIN)
				err(1, "recv");
	atomic_store(&over, true);
	while (recv(fds[1], buf, 1, MSG_DONTWAIT) > 0)
		;
	pthread_join(thread, NULL);
}

static void *nothing(void *arg)
{
	return arg;
}

static bool fork_one(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0) {
		if (errno != EAGAIN)
			err(1, "fork");
		sleep_ms(1); /* the control group limits the number of tasks */
		return false;
	}
	waitpid(pid, NULL, 0);
	return true;
}

static bool thread_one(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, nothing, NULL))
		return false;
	pthread_join(t, NULL);
	return true;
}

static int udp_fd, lock_fd;

static void udp_open(void)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(sa);

	udp_fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (udp_fd < 0 || bind(udp_fd, (struct sockaddr *)&sa, sizeof(sa)) ||
	    getsockname(udp_fd, (struct sockaddr *)&sa, &len) ||
	    connect(udp_fd, (struct sockaddr *)&sa, sizeof(sa)))
		err(1, "udp");
}

static bool udp_one(void)
{
	char c = 'x';

	return send(udp_fd, &c, 1, 0) == 1 && recv(udp_fd, &c, 1, 0) == 1;
}

static bool nap_one(void)
{
	const struct timespec ts = { .tv_nsec = 1 };

	return !nanosleep(&ts, NULL);
}

static void on_signal(int sig)
{
}

static bool signal_one(void)
{
	return !raise(SIGUSR1);
}

static bool name_one(void)
{
	static bool other;

	other = !other;
	return !prctl(PR_SET_NAME, other ? "this" : "that");
}

static void lock_open(void)
{
	char path[] = "/tmp/ctrace-storm-XXXXXX";

	lock_fd = mkstemp(path);
	if (lock_fd < 0 || unlink(path))
		err(1, "mkstemp");
}

static bool lock_one(void)
{
	return !flock(lock_fd, LOCK_EX) && !flock(lock_fd, LOCK_UN);
}

static void storm_lives(unsigned long ms, bool (*one)(void))
{
	unsigned long end = clock_ms() + ms;

	do {
		for (int i = 0; i < 10; i++)
			if (one())
				atomic_fetch_add(&events, 1);
	} while (clock_ms() < end);
}

static void storm_calls(unsigned long ms, const char *what)
{
	if (!strcmp(what, "udp")) {
		udp_open();
		storm_lives(ms, udp_one);
	} else if (!strcmp(what, "naps")) {
		prctl(PR_SET_TIMERSLACK, 1);
		storm_lives(ms, nap_one);
	} else if (!strcmp(what, "signals")) {
		signal(SIGUSR1, on_signal);
		storm_lives(ms, signal_one);
	} else if (!strcmp(what, "names")) {
		storm_lives(ms, name_one);
	} else if (!strcmp(what, "locks")) {
		lock_open();
		storm_lives(ms, lock_one);
	} else {
		errx(2, "usage: storm futex|messages|fork|threads|udp|naps|signals|names|locks MS, or storm "
			"crowd N MS");
	}
}

static void *member(void *arg)
{
	pause();
	return arg;
}

static void crowd(unsigned long n, unsigned long ms)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	pthread_attr_setguardsize(&attr, 0); /* saves mappings, whose number is limited */
	for (unsigned long i = 0; i < n; i++) {
		if (pthread_create(&t, &attr, member, NULL))
			break;
		atomic_fetch_add(&events, 1);
	}
	printf("live=%lu\n", atomic_load(&events));
	fflush(stdout);
	sleep_ms(ms);
}

int main(int argc, char *argv[])
{
	const char *what = argc > 2 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (!strcmp(what, "futex"))
		storm_futex(n);
	else if (!strcmp(what, "messages"))
		storm_messages(n);
	else if (!strcmp(what, "fork"))
		storm_lives(n, fork_one);
	else if (!strcmp(what, "threads"))
		storm_lives(n, thread_one);
	else if (!strcmp(what, "crowd") && argc == 4)
		crowd(n, strtoul(argv[3], NULL, 10));
	else
		storm_calls(n, what);
	printf("events=%lu\n", atomic_load(&events));
	return 0;
}
