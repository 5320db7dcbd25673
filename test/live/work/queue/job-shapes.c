/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job-shapes SHAPE - jobs wait in a queue of GLib. SHAPE chooses why they wait. A first job gives
 * the daemon one second to put a probe at the function of the jobs. Prints "waited=TID FROM TO" for a task
 * that waited for the jobs; the times are ns of the monotonic clock. */
#include "work.h"

#include <dlfcn.h>
#include <semaphore.h>

struct item {
	unsigned sleep_ms, compute_us;
	bool parent; /* enqueues a job, and waits for its end */
	sem_t done;
};

static void *pool;
static int (*pool_push)(void *pool, void *data, void *error);
static unsigned (*idle_add)(int (*fn)(void *), void *data);
static unsigned (*timeout_add)(unsigned ms, int (*fn)(void *), void *data);
static void (*loop_quit)(void *loop);
static void (*loop_run)(void *loop);
static void *(*loop_new)(void *context, int running);
static void *(*pool_new)(void (*fn)(void *, void *), void *user, int threads, int exclusive, void *error);
static void *loop;

#define ITEMS 3000
static struct item items[ITEMS];
static unsigned n_items;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void compute_us(unsigned us)
{
	uint64_t until_ns = now_ns() + us * 1000ull;

	while (now_ns() < until_ns)
		;
}

static struct item *item(unsigned sleep_ms, unsigned us)
{
	struct item *i = &items[__atomic_fetch_add(&n_items, 1, __ATOMIC_RELAXED)];

	i->sleep_ms = sleep_ms;
	i->compute_us = us;
	CHECK(sem_init(&i->done, 0, 0));
	return i;
}

static void pooled(void *data, void *user)
{
	struct item *i = data;

	if (i->parent) {
		struct item *child = item(1, 0);

		nap_ms(100);
		pool_push(pool, child, NULL);
		sem_wait(&child->done);
	}
	if (i->sleep_ms)
		nap_ms(i->sleep_ms);
	compute_us(i->compute_us);
	sem_post(&i->done);
}

static int idle(void *data)
{
	struct item *i = data;

	compute_us(i->compute_us);
	sem_post(&i->done);
	if (i == &items[n_items - 1])
		loop_quit(loop);
	return 0;
}

static int tick(void *data)
{
	if (n_items == 20) {
		loop_quit(loop);
		return 0;
	}
	pool_push(pool, item(60, 0), NULL);
	return 1;
}

static void start_pool(int threads)
{
	struct item *first = item(0, 0);

	pool = pool_new(pooled, NULL, threads, 0, NULL);
	pool_push(pool, first, NULL);
	nap_ms(1200);
}

static void wait_for_all(void)
{
	uint64_t from_ns = now_ns();

	for (unsigned i = 0; i < n_items; i++)
		sem_wait(&items[i].done);
	say("waited=%d %llu %llu\n", gettid(), (unsigned long long)from_ns, (unsigned long long)now_ns());
}

static void fill_pool(int threads, unsigned n, unsigned sleep_ms)
{
	start_pool(threads);
	for (unsigned i = 0; i < n; i++)
		pool_push(pool, item(sleep_ms, 0), NULL);
	wait_for_all();
}

/* A pool with one thread does one job at a time. The jobs only sleep, so they could overlap. */
static void serial(void)
{
	fill_pool(1, 50, 20);
}

static void exhausted(void)
{
	fill_pool(4, 240, 50);
}

static sem_t asked;

/* Waits for a job that comes after all jobs of the flood. */
static void ask(void)
{
	struct item *last = item(0, 0);
	uint64_t from_ns = now_ns();

	role("asker");
	idle_add(idle, last);
	sem_post(&asked);
	sem_wait(&last->done);
	say("waited=%d %llu %llu\n", gettid(), (unsigned long long)from_ns, (unsigned long long)now_ns());
}

static void flood(void)
{
	pthread_t t;

	idle_add(idle, item(0, 0));
	loop = loop_new(NULL, 0);
	loop_run(loop);
	nap_ms(1200);
	for (unsigned i = 0; i < 2000; i++)
		item(0, 300);
	for (unsigned i = 1; i < n_items; i++)
		idle_add(idle, &items[i]);
	CHECK(sem_init(&asked, 0, 0));
	t = thread(ask);
	sem_wait(&asked);
	loop_run(loop);
	join(t);
}

static void obsolete(void)
{
	start_pool(1);
	loop = loop_new(NULL, 0);
	timeout_add(20, tick, NULL);
	loop_run(loop);
	wait_for_all();
}

/* Adds short jobs for ten seconds. Meanwhile, a test looks at the jobs. */
static void steady(void)
{
	start_pool(2);
	for (unsigned i = 0; i < 1000; i++) {
		nap_ms(10);
		pool_push(pool, item(0, 0), NULL);
	}
}

static void reports(void)
{
	role("reports");
	for (unsigned i = 0; i < 6; i++) {
		pool_push(pool, item(150, 0), NULL);
		nap_ms(200);
	}
}

/* The jobs of the thread `reports` are slow. */
static void slow_kind(void)
{
	pthread_t t;

	start_pool(1);
	t = thread(reports);
	for (unsigned i = 0; i < 120; i++) {
		nap_ms(10);
		pool_push(pool, item(0, 0), NULL);
	}
	join(t);
	wait_for_all();
}

static void add_calmly(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		nap_ms(10);
		pool_push(pool, item(0, 0), NULL);
	}
}

/* Calm jobs, a flood of jobs for two seconds, and then calm jobs again for 20 seconds. */
static void wave(void)
{
	enum { STORM = 100 };
	static struct item storm[STORM];
	time_t end;

	start_pool(2);
	add_calmly(200);
	for (unsigned i = 0; i < STORM; i++)
		CHECK(sem_init(&storm[i].done, 0, 0));
	end = time(NULL) + 3;
	while (time(NULL) < end) {
		for (unsigned i = 0; i < STORM; i++)
			pool_push(pool, &storm[i], NULL);
		for (unsigned i = 0; i < STORM; i++)
			sem_wait(&storm[i].done);
	}
	say("calm\n");
	add_calmly(2000);
	wait_for_all();
	nap_ms(100); /* the last job is done, but its thread has still to leave the function of the job */
	say("done\n");
}

static void quit(int sig)
{
	_exit(0);
}

static void itself(void)
{
	start_pool(2);
	signal(SIGALRM, quit);
	for (unsigned i = 0; i < 2; i++) {
		struct item *parent = item(0, 0);

		parent->parent = true;
		pool_push(pool, parent, NULL);
	}
	role("victim");
	nap_ms(10);
	alarm(4);
	wait_for_all();
}

/* The assembly keeps the compiler from a jump in place of the call, which leaves no frame. */
#define KEEP_FRAME() __asm__ volatile("" ::: "memory")

static void __attribute__((noinline)) submit(unsigned sleep_ms, unsigned us)
{
	pool_push(pool, item(sleep_ms, us), NULL);
	KEEP_FRAME();
}

static void __attribute__((noinline)) on_save(void)
{
	submit(40, 0);
	KEEP_FRAME();
}

static void __attribute__((noinline)) on_load(void)
{
	submit(0, 100);
	KEEP_FRAME();
}

/* One thread enqueues all jobs, which have one function. Those of on_save() are slow. */
static void callers(void)
{
	start_pool(1);
	for (unsigned round = 0; round < 60; round++) {
		on_save();
		for (unsigned i = 0; i < 3; i++)
			on_load();
		nap_ms(60);
	}
	wait_for_all();
	nap_ms(100);
}

static const struct {
	const char *name;
	void (*run)(void);
} shapes[] = { { "serial", serial },     { "exhausted", exhausted }, { "flood", flood },
	       { "obsolete", obsolete }, { "slow_kind", slow_kind }, { "itself", itself },
	       { "steady", steady },     { "wave", wave },           { "callers", callers } };

static void *symbol(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (!p)
		skip("this GLib lacks a function");
	return p;
}

int main(int argc, char **argv)
{
	void *lib = dlopen("libglib-2.0.so.0", RTLD_NOW);

	if (!lib)
		skip("there is no GLib here");
	pool_new = symbol(lib, "g_thread_pool_new");
	pool_push = symbol(lib, "g_thread_pool_push");
	idle_add = symbol(lib, "g_idle_add");
	timeout_add = symbol(lib, "g_timeout_add");
	loop_new = symbol(lib, "g_main_loop_new");
	loop_run = symbol(lib, "g_main_loop_run");
	loop_quit = symbol(lib, "g_main_loop_quit");
	for (size_t i = 0; argc == 2 && i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (!strcmp(shapes[i].name, argv[1])) {
			say("pid=%d\n", getpid());
			shapes[i].run();
			return 0;
		}
	fprintf(stderr,
		"usage: job-shapes serial|exhausted|flood|obsolete|slow_kind|itself|steady|wave|callers\n");
	return 2;
}
