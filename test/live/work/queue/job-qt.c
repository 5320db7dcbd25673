/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job-qt 5|6 events|pool|flood|serial - posts events, or starts jobs of a QThreadPool, in Qt 5 or 6.
 *
 *   flood   2000 events wait for the main thread, and another thread waits for an event behind them
 *   serial  a pool with one thread, whose jobs only sleep; the main thread waits for all of them
 *
 * With flood and serial, prints "waited=TID FROM TO" for the thread that waits; the times are ns of the
 * monotonic clock. With events and pool, prints "job=ADDRESS ENQUEUED_BY DONE_BY" for each job, in the order
 * of enqueues. The address of a deleted event may be used again. If a thread deleted the job before it began,
 * DONE_BY is minus this thread.
 *
 * The program needs no header of Qt: it lays out the objects as the C++ ABI does. A table of virtual
 * functions begins two words before the first function.
 */
#include "work.h"

#include <dlfcn.h>
#include <semaphore.h>

enum { JOBS = 10000, CANCELLED = 49, POSTERS = 3, EVENTS_EACH = (JOBS - CANCELLED) / POSTERS };
enum { PROBED_BYTES = 32 }; /* the daemon puts a probe into the first bytes of a function */
enum { FLOOD = 2000, FLOOD_US = 300 };
enum { TYPE_POSTED = 1000, TYPE_SENT = 1001 };

struct object { /* a QObject */
	void **vtable;
	void *d;
};

struct event {
	uint64_t qevent[3]; /* a QEvent has at most these bytes */
	unsigned job;
	bool again;
};

struct runnable { /* a QRunnable */
	void **vtable;
	int deletes;
	unsigned job;
};

static struct {
	void *at;
	int by, done_by;
} jobs[JOBS];
static unsigned n_jobs, n_done;
static bool is_qt5, extra_ends, naps;

static void *lib;
static struct object receivers[2];
static struct object pool;
static void (*event_new)(void *event, int type);
static void (*event_done)(void *event);
static void (*post)(void *receiver, void *event, int priority);
static bool (*notify)(void *receiver, void *event);
static bool (*object_event)(void *object, void *event);
static void (*process_events)(int flags);
static void (*runnable_done)(void *runnable);
static void (*pool_start)(void *pool, void *runnable, int priority);

static void *symbol(const char *name)
{
	void *p = dlsym(lib, name);

	if (!p)
		skip("this Qt lacks a function");
	return p;
}

static unsigned job_new(void *at)
{
	unsigned i = __atomic_fetch_add(&n_jobs, 1, __ATOMIC_RELAXED);

	if (i >= JOBS)
		_exit(1);
	jobs[i].at = at;
	jobs[i].by = gettid();
	return i;
}

static void job_done(unsigned job, int by)
{
	jobs[job].done_by = by;
	__atomic_fetch_add(&n_done, 1, __ATOMIC_RELEASE);
}

/* A sent event is no job. It has the address of a local variable, again and again. */
static void send_event(void *receiver)
{
	struct event e;

	event_new(&e, TYPE_SENT);
	notify(receiver, &e);
	event_done(&e);
}

static bool on_event(void *object, void *event)
{
	struct event *e = event;
	uint16_t type;

	memcpy(&type, (char *)event + (is_qt5 ? 16 : 8), sizeof(type));
	if (type == TYPE_SENT)
		return true;
	if (type != TYPE_POSTED)
		return object_event(object, event);
	if (e->again)
		return true;
	send_event(object);
	if (e->job % 100 == 0) {
		e->again = true;
		notify(object, event);
		process_events(0);
	}
	job_done(e->job, gettid());
	return true;
}

static struct event *post_event(struct object *receiver)
{
	struct event *e = malloc(sizeof(*e));

	event_new(e, TYPE_POSTED);
	e->again = false;
	e->job = job_new(e);
	post(receiver, e, 0);
	return e;
}

static void poster(void)
{
	for (unsigned i = 0; i < EVENTS_EACH; i++) {
		if (i % 50 == 0)
			nap_ms(2);
		post_event(&receivers[i % 2]);
	}
}

static void object_new(struct object *o, void **vtable)
{
	((void (*)(void *, void *))symbol("_ZN7QObjectC1EPS_"))(o, NULL);
	o->vtable = vtable;
}

/* The loop of the main thread runs until all events are done. The loop of the other thread is that of
 * a QThread. */
static void events(void)
{
	static void *vtable[16];
	static struct object thread_object, cancelled;
	void **original = symbol("_ZTV7QObject");
	pthread_t t[POSTERS];

	memcpy(vtable, original, sizeof(vtable));
	object_event = vtable[2 + 5];
	vtable[2 + 5] = on_event;
	object_new(&receivers[0], vtable + 2);
	object_new(&receivers[1], vtable + 2);
	object_new(&cancelled, vtable + 2);
	((void (*)(void *, void *))symbol("_ZN7QThreadC1EP7QObject"))(&thread_object, NULL);
	((void (*)(void *, void *))symbol("_ZN7QObject12moveToThreadEP7QThread"))(&receivers[1],
										  &thread_object);
	((void (*)(void *, int))symbol("_ZN7QThread5startENS_8PriorityE"))(&thread_object, 7);
	for (unsigned i = 0; i < CANCELLED; i++)
		jobs[post_event(&cancelled)->job].done_by = -gettid();
	((void (*)(void *, int))symbol("_ZN16QCoreApplication18removePostedEventsEP7QObjecti"))(&cancelled,
												0);
	n_done += CANCELLED;
	for (size_t i = 0; i < POSTERS; i++)
		t[i] = thread(poster);
	while (__atomic_load_n(&n_done, __ATOMIC_ACQUIRE) < POSTERS * EVENTS_EACH + CANCELLED) {
		process_events(0);
		nap_ms(1);
	}
	for (size_t i = 0; i < POSTERS; i++)
		pthread_join(t[i], NULL);
	((void (*)(void *))symbol("_ZN7QThread4quitEv"))(&thread_object);
	((bool (*)(void *, int64_t, uint64_t))symbol("_ZN7QThread4waitE14QDeadlineTimer"))(
		&thread_object, INT64_MAX, 1ull << 32);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void tell_wait(uint64_t from_ns)
{
	say("waited=%d %llu %llu\n", gettid(), (unsigned long long)from_ns, (unsigned long long)now_ns());
}

static sem_t asked, answered;

static bool on_flood(void *object, void *event)
{
	const struct event *e = event;
	uint64_t from_ns = now_ns();

	while (now_ns() < from_ns + FLOOD_US * 1000)
		;
	job_done(e->job, gettid());
	if (n_done == FLOOD + 1)
		sem_post(&answered);
	return true;
}

static void ask(void)
{
	uint64_t from_ns = now_ns();

	role("asker");
	post_event(&receivers[0]);
	sem_post(&asked);
	sem_wait(&answered);
	tell_wait(from_ns);
}

static void flood(void)
{
	static void *vtable[16];
	pthread_t t;

	memcpy(vtable, symbol("_ZTV7QObject"), sizeof(vtable));
	vtable[2 + 5] = on_flood;
	object_new(&receivers[0], vtable + 2);
	CHECK(sem_init(&asked, 0, 0) || sem_init(&answered, 0, 0));
	for (unsigned i = 0; i < FLOOD; i++)
		post_event(&receivers[0]);
	t = thread(ask);
	sem_wait(&asked);
	process_events(0);
	pthread_join(t, NULL);
}

static void on_run(void *runnable)
{
	const struct runnable *r = runnable;

	if (naps)
		nap_ms(r->job < JOBS ? 20 : 0);
	if (r->job < JOBS)
		job_done(r->job, gettid());
	else
		while (!__atomic_load_n(&extra_ends, __ATOMIC_ACQUIRE))
			nap_ms(1);
}

static void on_done(void *runnable)
{
	const struct runnable *r = runnable;

	if (r->job < JOBS && !jobs[r->job].done_by)
		job_done(r->job, -gettid());
	runnable_done(runnable);
	/* No other job gets the address of the extra job, whose start has no record. */
	if (r->job < JOBS)
		free(runnable);
}

static void no_delete(void *runnable)
{
	_exit(1);
}

/* job is JOBS: the extra job, which is not printed, and runs until extra_ends. deletes: the pool deletes the
 * job. */
static void start(bool deletes, bool printed)
{
	static void *vtable[] = { NULL, NULL, on_run, no_delete, on_done };
	struct runnable *r = malloc(sizeof(*r));

	r->vtable = vtable + 2;
	r->deletes = is_qt5 ? (deletes ? 0 : -1) : deletes;
	r->job = printed ? job_new(r) : JOBS;
	pool_start(&pool, r, 0);
}

/* A probe at the beginning of on_run() changes its code. The daemon puts two probes there, and the second one
 * changes nothing more. */
static void await_probe(const void *before)
{
	for (unsigned i = 0; i < 20000 && !memcmp((const void *)on_run, before, PROBED_BYTES); i++) {
		nap_ms(1);
		__asm__ volatile("" ::: "memory");
	}
	nap_ms(100);
}

/* The extra job makes the daemon put a probe at on_run(). Then jobs that wait are cancelled, while the only
 * thread of the pool does the extra job. */
static void jobs_of_pool(void)
{
	void (*threads)(void *, int) = symbol("_ZN11QThreadPool17setMaxThreadCountEi");
	char before[PROBED_BYTES];

	memcpy(before, (const void *)on_run, sizeof(before));
	((void (*)(void *, void *))symbol("_ZN11QThreadPoolC1EP7QObject"))(&pool, NULL);
	threads(&pool, 1);
	start(true, false);
	await_probe(before);
	for (unsigned i = 0; i < CANCELLED; i++)
		start(true, true);
	((void (*)(void *))symbol("_ZN11QThreadPool5clearEv"))(&pool);
	__atomic_store_n(&extra_ends, true, __ATOMIC_RELEASE);
	threads(&pool, 3);
	for (unsigned i = CANCELLED; i < JOBS; i++) {
		if (i % 50 == 0)
			nap_ms(2);
		start(i % 3, true);
	}
	((bool (*)(void *, int))symbol("_ZN11QThreadPool11waitForDoneEi"))(&pool, -1);
}

/* The first job makes the daemon put a probe at on_run(). */
static void serial(void)
{
	char before[PROBED_BYTES];
	uint64_t from_ns;

	memcpy(before, (const void *)on_run, sizeof(before));
	((void (*)(void *, void *))symbol("_ZN11QThreadPoolC1EP7QObject"))(&pool, NULL);
	((void (*)(void *, int))symbol("_ZN11QThreadPool17setMaxThreadCountEi"))(&pool, 1);
	naps = true;
	start(true, false);
	await_probe(before);
	__atomic_store_n(&extra_ends, true, __ATOMIC_RELEASE);
	from_ns = now_ns();
	for (unsigned i = 0; i < 50; i++)
		start(true, true);
	((bool (*)(void *, int))symbol("_ZN11QThreadPool11waitForDoneEi"))(&pool, -1);
	tell_wait(from_ns);
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = { { "events", events }, { "pool", jobs_of_pool }, { "flood", flood }, { "serial", serial } };

int main(int argc, char **argv)
{
	static struct object app;
	static int app_argc = 1;

	is_qt5 = argc == 3 && !strcmp(argv[1], "5");
	lib = argc == 3 ? dlopen(is_qt5 ? "libQt5Core.so.5" : "libQt6Core.so.6", RTLD_NOW) : NULL;
	if (!lib)
		skip("there is no such Qt here");
	event_new = symbol("_ZN6QEventC1ENS_4TypeE");
	event_done = symbol("_ZN6QEventD1Ev");
	post = symbol("_ZN16QCoreApplication9postEventEP7QObjectP6QEventi");
	notify = symbol("_ZN16QCoreApplication15notifyInternal2EP7QObjectP6QEvent");
	process_events =
		symbol("_ZN16QCoreApplication13processEventsE6QFlagsIN10QEventLoop17ProcessEventsFlagEE");
	runnable_done = symbol("_ZN9QRunnableD2Ev");
	pool_start = symbol("_ZN11QThreadPool5startEP9QRunnablei");
	((void (*)(void *, int *, char **, int))symbol("_ZN16QCoreApplicationC1ERiPPci"))(&app, &app_argc,
											  argv, 0x050f08);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, argv[2]))
			modes[i].run();
	say("pid=%d\n", getpid());
	for (unsigned i = 0; i < n_jobs; i++)
		say("job=0x%lx %d %d\n", (unsigned long)jobs[i].at, jobs[i].by, jobs[i].done_by);
	fflush(NULL);
	_exit(0);
}
