/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * work.h - functions for the small programs of the live tests.
 *
 * A program has one hang of two to three seconds, or behaves normally. Each program prints lines
 * KEY=VALUE:
 * - the victim, the time of the hang, and the other tasks (role.NAME=PID/TID);
 * - the truth that `run_live` checks (expect.*);
 * - the edges (told.h).
 *
 * The exit code is 77 if this machine cannot run the program.
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

#include "told.h"

/* One write, so that lines of several processes do not mix. */
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

/* LIVE_SCALE=N in the environment makes times of a second or more N times as long. */
static inline unsigned scaled(unsigned ms)
{
	const char *scale = getenv("LIVE_SCALE");

	return ms >= 1000 && scale ? ms * strtod(scale, NULL) : ms;
}

static inline void nap_ms(unsigned ms)
{
	struct timespec t = { scaled(ms) / 1000, scaled(ms) % 1000 * 1000000L };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Makes no system call. */
static inline void compute_ms(unsigned ms)
{
	uint64_t end = mono_ns() + scaled(ms) * 1000000ULL;
	volatile uint64_t x = 1;

	while (mono_ns() < end)
		for (int i = 0; i < 20000; i++)
			x = x * 6364136223846793005ULL + 1442695040888963407ULL;
}

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

/* Names the caller, which has a part in the victim's wait. */
static inline void role(const char *name)
{
	prctl(PR_SET_NAME, name);
	say("role.%s=%d/%d\nrelated=%d/%d\n", name, getpid(), gettid(), getpid(), gettid());
}

/* Names the caller, which has no part in the victim's wait, but may share a server, a lock or a CPU. */
static inline void bystander(const char *name)
{
	prctl(PR_SET_NAME, name);
	say("role.%s=%d/%d\nunrelated=%d/%d\n", name, getpid(), gettid(), getpid(), gettid());
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
 * Prints the right answer. "-" stands for any answer.
 * - verdict, cause, kind: alternatives with '|' between them
 * - `root`: one of these roles has to be the root cause
 * - `chain`: these roles have to be in the chain, in this order
 */
static inline void expect(const char *verdict, const char *cause, const char *kind, const char *root,
			  const char *chain)
{
	say("expect.verdict=%s\nexpect.cause=%s\nexpect.kind=%s\nexpect.root=%s\nexpect.chain=%s\n", verdict,
	    cause, kind, root, chain);
}

/* Forks a child, which calls fn(). The kernel kills the child if the parent ends first. */
static inline pid_t process(void (*fn)(void))
{
	struct stamp by = stamp();
	pid_t parent = getpid(), pid = CHECK(fork());

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	caused("fork", by, SEEN);
	fn();
	told_ends(getpid(), getppid(), 0);
	_exit(0);
}

struct thread_start {
	void (*fn)(void);
	struct stamp by, ended;
};

static inline void *thread_main(void *arg)
{
	struct thread_start *s = arg;

	caused("fork", s->by, SEEN);
	s->fn();
	s->ended = stamp();
	return s;
}

static inline pthread_t thread(void (*fn)(void))
{
	struct thread_start *s = malloc(sizeof(*s));
	pthread_t t;

	if (!s)
		die("malloc");
	*s = (struct thread_start){ fn, stamp() };
	errno = pthread_create(&t, NULL, thread_main, s);
	if (errno)
		die("pthread_create");
	return t;
}

static inline int join(pthread_t t)
{
	long before = sleeps();
	void *s;

	errno = pthread_join(t, &s);
	if (errno)
		die("pthread_join");
	caused("exit", ((struct thread_start *)s)->ended, before);
	free(s);
	return 0;
}

static inline void slay(pid_t pid)
{
	told_ends(pid, getpid(), gettid());
	kill(pid, SIGKILL);
}

/* Waits for the child pid (-1: any). Returns false if there is none. If the child failed, sets *rc. */
static inline bool reap(pid_t pid, int *rc)
{
	long before = sleeps();
	int status;

	pid = waitpid(pid, &status, 0);
	if (pid <= 0)
		return false;
	told_reaped(pid, before);
	if (WIFEXITED(status) && WEXITSTATUS(status))
		*rc = WEXITSTATUS(status);
	return true;
}

static inline int finish(void)
{
	int rc = 0;

	while (reap(-1, &rc))
		;
	return rc;
}

static inline void tell_note(int fd, uint32_t note)
{
	struct stamp s = stamp();

	s.note = note;
	if (fd < TOLD_FDS)
		s.connected_ns = told_fds[fd].asked_ns;
	if (CHECK(write(fd, &s, sizeof(s))) != sizeof(s))
		_exit(1);
}

static inline void tell(int fd)
{
	tell_note(fd, 0);
}

/* The first stamp on an accepted connection also makes an edge of the kind connect. */
static inline void heard_at(int fd, struct stamp s, long slept_before, uint64_t arrived_ns)
{
	struct stat st;

	CHECK(fstat(fd, &st));
	if (fd < TOLD_FDS)
		told_fds[fd].last = s;
	if (fd < TOLD_FDS && s.connected_ns && told_fds[fd].accepted_ns) {
		struct stamp asked = { .ns = s.connected_ns, .tid = s.tid };

		told_edge("connect", &asked, told_fds[fd].acceptor, told_fds[fd].accepted_ns,
			  told_fds[fd].slept);
		told_fds[fd].accepted_ns = 0;
	}
	caused_at(S_ISSOCK(st.st_mode) ? "message" : "pipe", s, S_ISSOCK(st.st_mode) ? SEEN : slept_before,
		  arrived_ns);
}

static inline void heard(int fd, struct stamp s, long slept_before)
{
	heard_at(fd, s, slept_before, mono_ns());
}

/* The other end of fd is closed. Adds the edge `close`, and closes fd. A close() sends no stamp, so the edge
 * has the stamp of the last message. */
static inline void heard_end(int fd, long slept_before)
{
	caused("close", told_fds[fd].last, slept_before);
	close(fd);
}

static inline struct stamp hear(int fd)
{
	long before = sleeps();
	struct stamp s;

	if (CHECK(read(fd, &s, sizeof(s))) != sizeof(s))
		_exit(1);
	heard(fd, s, before);
	return s;
}

/* slept_before: the number that sleeps() returned when the thread began to wait. */
static inline int accept_after(int listener, long slept_before)
{
	int fd = CHECK(accept(listener, NULL, NULL));

	if (fd < TOLD_FDS) {
		told_fds[fd].accepted_ns = mono_ns();
		told_fds[fd].acceptor = gettid();
		told_fds[fd].slept = sleeps() != slept_before;
	}
	return fd;
}

static inline int accept_one(int listener)
{
	return accept_after(listener, sleeps());
}

/* Each gate_open() lets one gate_wait() return. */
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
	tell(g.fd[1]);
}

static inline void gate_wait(struct gate g)
{
	hear(g.fd[0]);
}

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

	if (fd < TOLD_FDS)
		told_fds[fd].asked_ns = mono_ns();
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static inline int tcp_connect(uint16_t port)
{
	return CHECK(tcp_try_connect(port));
}

/* Fills *a with an abstract address of this run of the program. Returns the length of the address. */
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

	if (fd < TOLD_FDS)
		told_fds[fd].asked_ns = mono_ns();
	CHECK(connect(fd, (struct sockaddr *)&a, len));
	return fd;
}

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
