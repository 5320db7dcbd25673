/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crasher.c - programs that crash, for the test `crashes`.
 *
 *   crasher pool       a client asks a server; a thread of its pool gets SIGSEGV in parse_item()
 *   crasher chain      client -> proxy -> server; a child of the server calls abort() in check_total()
 *   crasher handled    gets SIGSEGV, but has a handler and goes on
 *   crasher killed     one process kills another one with SIGKILL
 *   crasher jump       calls a function at an address without code
 *   crasher zero       divides by zero in take_share()
 *   crasher init       the first process of a pid namespace ignores a SIGQUIT, and then gets SIGSEGV
 *   crasher many       compare_items() gets SIGSEGV, in a process with many executable mappings
 *   crasher dumps      processes with many threads abort, and dump core into the current directory
 *   crasher storm      twelve processes crash at the same time
 *
 * Prints the tasks of the scene, as NAME=TID.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static void part(const char *name)
{
	prctl(PR_SET_NAME, name, 0, 0, 0);
	dprintf(STDOUT_FILENO, "%s=%ld\n", name, syscall(SYS_gettid));
}

static void nap(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static void ask(int fd)
{
	char answer[16];

	nap(100);
	if (write(fd, "bad", 3) != 3)
		exit(1);
	(void)!read(fd, answer, sizeof(answer));
}

/* A pool of two threads with a queue of one item. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static char queued[16];
static volatile int *volatile nowhere;

NOINLINE static int parse_item(const char *item)
{
	return *item == 'b' ? *nowhere : 0;
}

NOINLINE static void *pool_worker(void *arg)
{
	(void)arg;
	prctl(PR_SET_NAME, "worker", 0, 0, 0);
	pthread_mutex_lock(&lock);
	for (;;) {
		char item[16];

		while (!*queued)
			pthread_cond_wait(&more, &lock);
		memcpy(item, queued, sizeof(item));
		*queued = 0;
		pthread_mutex_unlock(&lock);
		dprintf(STDOUT_FILENO, "worker=%ld\n", syscall(SYS_gettid));
		if (parse_item(item))
			puts("never");
		pthread_mutex_lock(&lock);
	}
	return NULL;
}

static void pool_server(int listener)
{
	pthread_t t;
	char item[16] = "";
	int fd;

	part("shopd");
	fd = accept(listener, NULL, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create(&t, NULL, pool_worker, NULL);
	while (read(fd, item, sizeof(item) - 1) > 0) {
		pthread_mutex_lock(&lock);
		memcpy(queued, item, sizeof(queued));
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	_exit(0);
}

NOINLINE static int check_total(int total)
{
	if (total >= 0)
		abort();
	return total;
}

NOINLINE static void chain_server(int fd)
{
	char item[16];

	part("server");
	while (read(fd, item, sizeof(item)) > 0) {
		pid_t child = fork();

		if (!child) {
			part("child");
			_exit(check_total(3));
		}
		waitpid(child, NULL, 0);
		(void)!write(fd, "failed", 6);
	}
	_exit(0);
}

static void chain_proxy(int in, int out)
{
	char item[16];
	ssize_t n;

	part("proxy");
	while ((n = read(in, item, sizeof(item))) > 0) {
		(void)!write(out, item, (size_t)n);
		n = read(out, item, sizeof(item));
		(void)!write(in, item, n > 0 ? (size_t)n : 1);
	}
	_exit(0);
}

static void pair(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		exit(1);
}

static void run_pool(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t n = sizeof(at);

	if (bind(listener, (struct sockaddr *)&at, n) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &n))
		exit(1);
	if (!fork())
		pool_server(listener);
	close(listener);
	if (!fork()) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		part("client");
		if (connect(fd, (struct sockaddr *)&at, n))
			_exit(1);
		ask(fd);
		_exit(0);
	}
}

static void run_chain(void)
{
	int front[2], back[2];

	pair(front);
	pair(back);
	if (!fork()) {
		close(front[0]);
		close(front[1]);
		close(back[0]);
		chain_server(back[1]);
	}
	if (!fork()) {
		close(front[0]);
		close(back[1]);
		chain_proxy(front[1], back[0]);
	}
	if (!fork()) {
		close(front[1]);
		close(back[0]);
		close(back[1]);
		part("client");
		ask(front[0]);
		_exit(0);
	}
	for (int i = 0; i < 2; i++) {
		close(front[i]);
		close(back[i]);
	}
}

static sigjmp_buf again;

static void on_segv(int sig)
{
	siglongjmp(again, sig);
}

static void run_handled(void)
{
	if (fork())
		return;
	part("handler");
	signal(SIGSEGV, on_segv);
	if (!sigsetjmp(again, 1))
		_exit(parse_item("bad"));
	_exit(0);
}

static void run_killed(void)
{
	pid_t victim = fork();

	if (!victim) {
		part("victim");
		pause();
	}
	if (!fork()) {
		part("killer");
		nap(100);
		kill(victim, SIGKILL);
		_exit(0);
	}
}

NOINLINE static int call_it(int (*function)(void))
{
	return function() + 1;
}

static void run_jump(void)
{
	if (fork())
		return;
	part("jumper");
	_exit(call_it((int (*)(void))0x10));
}

NOINLINE static int take_share(int all, volatile int *n)
{
	return all / *n;
}

static void run_zero(void)
{
	volatile int zero = 0;

	if (fork())
		return;
	part("sharer");
	_exit(take_share(7, &zero));
}

static void run_init(void)
{
	sigset_t quit;
	pid_t init;

	if (unshare(CLONE_NEWPID))
		exit(1);
	init = fork();
	if (init) {
		dprintf(STDOUT_FILENO, "init=%d\n", init);
		return;
	}
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	sigprocmask(SIG_BLOCK, &quit, NULL);
	raise(SIGQUIT);
	sigprocmask(SIG_UNBLOCK, &quit, NULL);
	_exit(parse_item("bad"));
}

NOINLINE static int compare_items(const void *a, const void *b)
{
	(void)b;
	return *(const char *)a == 'b' ? *nowhere : 0;
}

NOINLINE static void sort_items(char *items, size_t n)
{
	qsort(items, n, 1, compare_items);
	nap(1); /* keeps sort_items() on the stack: the call of qsort() is not its last one */
}

static void run_many(void)
{
	char items[] = "bbb";

	if (fork())
		return;
	part("sorter");
	/* These mappings have lower addresses than the program and its libraries. The kernel does
	 * not merge them, because there are gaps between them. */
	for (uintptr_t i = 0; i < 60; i++)
		mmap((void *)(0x20000000 + (i << 20)), 4096, PROT_READ | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sort_items(items, 3);
	_exit(0);
}

static void *sleeper(void *arg)
{
	pause();
	return arg;
}

static void run_dumps(void)
{
	pthread_t t;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY });
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();

		if (!child) {
			for (int j = 0; j < 16; j++)
				pthread_create(&t, NULL, sleeper, NULL);
			abort();
		}
		dprintf(STDOUT_FILENO, "dump%d=%d\n", i, child);
		waitpid(child, NULL, 0);
	}
}

static void run_storm(void)
{
	for (int i = 0; i < 12; i++)
		if (!fork()) {
			part("stormy");
			_exit(parse_item("bad"));
		}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} scenes[] = { { "pool", run_pool },     { "chain", run_chain }, { "handled", run_handled },
		       { "killed", run_killed }, { "jump", run_jump },   { "zero", run_zero },
		       { "init", run_init },     { "many", run_many },   { "dumps", run_dumps },
		       { "storm", run_storm } };

	setrlimit(RLIMIT_CORE, &(struct rlimit){ .rlim_max = RLIM_INFINITY });
	for (size_t i = 0; argc > 1 && i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (!strcmp(argv[1], scenes[i].name))
			scenes[i].run();
	while (wait(NULL) > 0)
		;
	nap(500); /* meanwhile the daemon finds the stack */
	return 0;
}
