/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h - what the small hanging programs of the live tests share.
 *
 * Each program takes no arguments, makes one hang of two to three seconds and
 * prints key=value lines: who is stuck, when, who the others are (role.<name>=
 * pid/tid), and the truth that `run_live` checks (expect.*).  Exit 77: cannot be
 * done on this machine.
 */
#ifndef CTRACE_TEST_LIVE_WORK_H
#define CTRACE_TEST_LIVE_WORK_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline uint64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* One line in one write, so that lines of several processes do not mix. */
static inline __attribute__((format(printf, 1, 2))) void say(const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (write(1, line, n) != n)
		_exit(1);
}

static inline void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static inline void skip(const char *why)
{
	say("skip=%s\n", why);
	exit(77);
}

static inline long check(long rc, const char *what)
{
	if (rc < 0)
		die(what);
	return rc;
}
#define CHECK(expr) check(expr, #expr)

/* LIVE_SCALE=N makes all that lasts a second or more N times longer, to look at a hang that goes on. */
static inline unsigned scaled(unsigned ms)
{
	const char *scale = getenv("LIVE_SCALE");

	return ms >= 1000 && scale ? ms * strtoul(scale, NULL, 10) : ms;
}

static inline void nap_ms(unsigned ms)
{
	struct timespec t = { scaled(ms) / 1000, scaled(ms) % 1000 * 1000000L };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Computes, without a system call, for so long on the wall clock. */
static inline void compute_ms(unsigned ms)
{
	uint64_t end = mono_ns() + scaled(ms) * 1000000ULL;
	volatile uint64_t x = 1;

	while (mono_ns() < end)
		for (int i = 0; i < 20000; i++)
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
}

/* A fixed amount of computing: as much as that many milliseconds of an unhindered CPU (of this thread). */
static inline void compute_cpu_ms(unsigned ms)
{
	struct timespec t;
	uint64_t end = 0, now;
	volatile uint64_t x = 1;

	for (;;) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
		if (!end)
			end = now + ms * 1000000ULL;
		if (now >= end)
			return;
		for (int i = 0; i < 200000; i++)
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	}
}

/* The calling thread takes part under this name. */
static inline void role(const char *name)
{
	prctl(PR_SET_NAME, name);
	say("role.%s=%d/%d\n", name, getpid(), gettid());
}

static inline void victim(void)
{
	role("victim");
	say("victim_pid=%d\nvictim_tid=%d\n", getpid(), gettid());
}

static inline void hang_begins(void)
{
	say("t_start_ns=%llu\n", (unsigned long long)mono_ns());
}

static inline void hang_ends(void)
{
	say("t_end_ns=%llu\n", (unsigned long long)mono_ns());
}

/*
 * The truth: verdict, cause and kind are alternatives divided by '|', root is role names of which any is
 * right, chain is role names that must appear in this order.  "-" where nothing is demanded.
 */
static inline void expect(const char *verdict, const char *cause, const char *kind, const char *root,
			  const char *chain)
{
	say("expect.verdict=%s\nexpect.cause=%s\nexpect.kind=%s\nexpect.root=%s\nexpect.chain=%s\n", verdict,
	    cause, kind, root, chain);
}

/* Starts a process that dies with its parent. */
static inline pid_t process(void (*fn)(void))
{
	pid_t parent = getpid(), pid = CHECK(fork());

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	fn();
	_exit(0);
}

static inline void *thread_main(void *fn)
{
	((void (*)(void))fn)();
	return NULL;
}

static inline pthread_t thread(void (*fn)(void))
{
	pthread_t t;

	errno = pthread_create(&t, NULL, thread_main, (void *)fn);
	if (errno)
		die("pthread_create");
	return t;
}

/* Waits for every child; a child that failed makes this program fail. */
static inline int finish(void)
{
	int status, rc = 0;

	while (wait(&status) > 0)
		if (WIFEXITED(status) && WEXITSTATUS(status))
			rc = WEXITSTATUS(status);
	return rc;
}

/* A gate orders the preparations of threads and processes: wait returns once somebody has opened. */
struct gate {
	int fd[2];
};

static inline struct gate gate_new(void)
{
	struct gate g;

	CHECK(pipe(g.fd));
	return g;
}

static inline void gate_open(struct gate g)
{
	CHECK(write(g.fd[1], "", 1));
}

static inline void gate_wait(struct gate g)
{
	char c;

	if (CHECK(read(g.fd[0], &c, 1)) != 1)
		_exit(1);
}

/* Memory shared with the processes made later. */
static inline void *shared(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static inline int tcp_listen(uint16_t *ret_port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);
	int fd = CHECK(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));

	CHECK(bind(fd, (struct sockaddr *)&a, sizeof(a)));
	CHECK(listen(fd, 16));
	CHECK(getsockname(fd, (struct sockaddr *)&a, &len));
	*ret_port = ntohs(a.sin_port);
	return fd;
}

static inline int tcp_try_connect(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = CHECK(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));

	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static inline int tcp_connect(uint16_t port)
{
	return CHECK(tcp_try_connect(port));
}

/* An abstract unix address of this run. */
static inline socklen_t unix_address(struct sockaddr_un *a, const char *name)
{
	static pid_t run;

	if (!run)
		run = getpgrp();
	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1, "ctrace-live-%d-%s", run, name);
}

static inline int unix_listen(const char *name)
{
	struct sockaddr_un a;
	socklen_t len = unix_address(&a, name);
	int fd = CHECK(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));

	CHECK(bind(fd, (struct sockaddr *)&a, len));
	CHECK(listen(fd, 16));
	return fd;
}

static inline int unix_connect(const char *name)
{
	struct sockaddr_un a;
	socklen_t len = unix_address(&a, name);
	int fd = CHECK(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));

	CHECK(connect(fd, (struct sockaddr *)&a, len));
	return fd;
}

/* Sends one byte; receives one byte. */
static inline void put(int fd)
{
	if (CHECK(write(fd, "x", 1)) != 1)
		_exit(1);
}

static inline void get(int fd)
{
	char c;

	if (CHECK(read(fd, &c, 1)) != 1)
		_exit(1);
}

static inline void pin(int cpu)
{
	cpu_set_t s;

	CPU_ZERO(&s);
	CPU_SET(cpu, &s);
	CHECK(sched_setaffinity(0, sizeof(s), &s));
}

#endif
