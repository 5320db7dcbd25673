/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * told.h - the edges between the tasks of a program, as the program itself knows them.
 *
 * The causing task takes a stamp before it acts. The stamp travels with the item, the message or
 * the thread. The caused task calls caused() when it has the stamp. The process that started first
 * prints the edges when it ends:
 *
 *   edge=KIND FROM_TID LEFT_NS TO_TID ARRIVED_NS slept|ran
 *
 * "ran": the receiver did not sleep while it waited, so ctrace may have no record of the edge.
 * Messages that one call received have the same time of arrival. The handoff of a mutex is no
 * cause, so it is not printed.
 */
#ifndef CTRACE_TEST_LIVE_TOLD_H
#define CTRACE_TEST_LIVE_TOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TOLD_EDGES 8192
#define TOLD_ENDED 2048
#define TOLD_FDS   128
/* The value of slept_before (caused_at()) for an edge that leaves a record in the trace even if the receiver
 * does not sleep. The edge is always printed as "slept". */
#define SEEN (-1L)

struct stamp {
	uint64_t ns;
	uint64_t connected_ns; /* when the sender called connect(); 0: the sender did not connect */
	uint32_t tid;
	uint32_t note;
};

struct told_edge {
	uint64_t left_ns, arrived_ns;
	uint32_t from, to;
	char kind[12];
	bool slept;
};

struct told_end {
	uint64_t ns;
	uint32_t pid, parent;
	uint32_t killer; /* a tid; 0: not killed */
	bool reaped;
};

static struct told {
	pid_t printer;
	uint32_t n_edges, n_ended;
	struct told_edge edges[TOLD_EDGES];
	struct told_end ended[TOLD_ENDED];
} * told;

static struct {
	uint64_t asked_ns, accepted_ns;
	uint32_t acceptor;
	bool slept;
	struct stamp last;
} told_fds[TOLD_FDS];

static inline uint64_t mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* All processes of a program share the memory `told`. After an exec, the new program finds the
 * descriptor of this memory in the environment (CTRACE_TOLD_FD). */
static __attribute__((constructor)) void told_begin(void)
{
	const char *inherited = getenv("CTRACE_TOLD_FD");
	int fd = inherited ? atoi(inherited) : memfd_create("told", 0);
	char text[16];

	if (fd < 0 || (!inherited && ftruncate(fd, sizeof(*told))))
		_exit(1);
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (told == MAP_FAILED)
		_exit(1);
	if (inherited)
		return;
	snprintf(text, sizeof(text), "%d", fd);
	setenv("CTRACE_TOLD_FD", text, 1);
	told->printer = getpid();
}

static __attribute__((destructor)) void told_print(void)
{
	if (!told || told->printer != getpid())
		return;
	for (uint32_t i = 0; i < told->n_edges && i < TOLD_EDGES; i++) {
		const struct told_edge *e = &told->edges[i];

		printf("edge=%s %u %llu %u %llu %s\n", e->kind, e->from, (unsigned long long)e->left_ns,
		       e->to, (unsigned long long)e->arrived_ns, e->slept ? "slept" : "ran");
	}
	if (told->n_edges > TOLD_EDGES || told->n_ended > TOLD_ENDED || fflush(stdout))
		_exit(1);
}

static inline struct stamp stamp(void)
{
	return (struct stamp){ .ns = mono_ns(), .tid = gettid() };
}

static inline long sleeps(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw;
}

static inline void told_edge(const char *kind, const struct stamp *from, uint32_t to, uint64_t arrived_ns,
			     bool slept)
{
	uint32_t i = __atomic_fetch_add(&told->n_edges, 1, __ATOMIC_RELAXED);

	if (i >= TOLD_EDGES)
		return;
	told->edges[i] = (struct told_edge){
		.left_ns = from->ns, .arrived_ns = arrived_ns, .from = from->tid, .to = to, .slept = slept
	};
	snprintf(told->edges[i].kind, sizeof(told->edges[i].kind), "%s", kind);
}

/* from: the stamp that the calling thread has received. slept_before: the value of sleeps() when the thread
 * began to wait for the stamp; or the constant SEEN. */
static inline void caused_at(const char *kind, struct stamp from, long slept_before, uint64_t arrived_ns)
{
	if (from.tid != (uint32_t)gettid())
		told_edge(kind, &from, gettid(), arrived_ns,
			  slept_before == SEEN || sleeps() != slept_before);
}

static inline void caused(const char *kind, struct stamp from, long slept_before)
{
	caused_at(kind, from, slept_before, mono_ns());
}

static inline void told_ends(uint32_t pid, uint32_t parent, uint32_t killer)
{
	uint32_t i = __atomic_fetch_add(&told->n_ended, 1, __ATOMIC_RELAXED);

	if (i < TOLD_ENDED)
		told->ended[i] = (struct told_end){ mono_ns(), pid, parent, killer, false };
}

/* The calling thread has reaped the child pid. If told_ends() noted the end of the child, adds the edge
 * `exit` from the child to the thread. If the child was killed, also adds the edge `signal` from its killer
 * to the child. If another child ended earlier and is not reaped yet, that child may have woken the parent.
 * Then the edge `exit` is printed as "ran": the trace may have no record of this edge. */
static inline void told_reaped(uint32_t pid, long slept_before)
{
	struct told_end *e = NULL;
	bool first = true;

	for (uint32_t i = 0; i < told->n_ended; i++)
		if (told->ended[i].pid == pid)
			e = &told->ended[i];
	if (!e)
		return;
	for (uint32_t i = 0; i < told->n_ended; i++) {
		const struct told_end *o = &told->ended[i];

		if (o->parent == e->parent && o->pid != pid && !o->reaped && o->ns < e->ns)
			first = false;
	}
	e->reaped = true;
	if (e->killer)
		told_edge("signal", &(struct stamp){ .ns = e->ns, .tid = e->killer }, pid, mono_ns(), true);
	caused("exit", (struct stamp){ .ns = e->ns, .tid = pid }, first ? slept_before : sleeps());
}

#endif
