/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moments.h - private to analysis/inputs/: the records of a window that matter for inputs, by task.
 */
#ifndef CTRACE_ANALYSIS_INPUTS_MOMENTS_H
#define CTRACE_ANALYSIS_INPUTS_MOMENTS_H

#include "graph/timeline/graph.h"
#include "lib/map.h"
#include "lib/vec.h"

enum moment_kind {
	MOMENT_TAKE,    /* the task takes an event of the display server */
	MOMENT_DRAW,    /* the task draws */
	MOMENT_SEND,    /* the task sends to the display server */
	MOMENT_ENQUEUE, /* of a job */
	MOMENT_START,   /* of a job */
	MOMENT_WRITE, /* the task writes to a pseudo terminal, and wakes the kernel thread that passes this on
		       */
};

struct moment {
	uint32_t task, event;
	uint64_t job; /* ENQUEUE and START: names the job */
	uint8_t kind; /* enum moment_kind */
};

struct moments {
	const struct graph *g;
	VEC(struct moment) v;        /* sorted by (task, event) */
	VEC(struct moment) starts;   /* of jobs; sorted by (job, event) */
	VEC(struct moment) enqueues; /* of jobs; sorted by (job, event) */
	struct map ends;             /* socket -> enum display_end */
	/* In the next maps, a process is the task of its main thread. */
	struct map servers; /* process that is a display server -> 1 */
	struct map drawing; /* process whose framework reports when it draws -> 1 */
	struct map takers;  /* task that takes events -> 1 */
	/* hash of a process and a side of a pseudo terminal to which it writes -> 1; also of the process and
	 * 0 */
	struct map writers;
	struct map remote; /* process whose display may be on another host -> 1 */
};

/* Returns 0 or -ENOMEM. The caller calls moments_done() in both cases. */
int moments_find(struct moments *m, const struct graph *g);
void moments_done(struct moments *m);
/* Returns the index in m->v of the first moment of the task whose record comes after `event`. This may be
 * m->v.n, or a moment of another task. */
size_t moments_after(const struct moments *m, uint32_t task, uint32_t event);
/* The same for the moments from ts_ns on. */
size_t moments_from(const struct moments *m, uint32_t task, uint64_t ts_ns);
/* Returns the first start of the job whose record comes after `event`, or NULL. */
const struct moment *moments_start(const struct moments *m, uint64_t job, uint32_t event);
/* Returns true if the last enqueue of the job before its start is also before `event`. start: the record of
 * the start. False if there is no such enqueue. */
bool moments_waited(const struct moments *m, uint64_t job, uint32_t start, uint32_t event);
/* Returns true if the socket is the client's end of a connection to a display server. */
bool moments_is_display(const struct moments *m, uint64_t sock);
bool moments_is_server(const struct moments *m, uint32_t task);
/* Returns true if the task takes events of the display server. */
bool moments_takes(const struct moments *m, uint32_t task);
bool moments_draws(const struct moments *m, uint32_t task);
/* Returns true if the task's process writes to this side of a pseudo terminal. 0: to any. */
bool moments_writes(const struct moments *m, uint32_t task, uint64_t tty);
bool moments_is_remote(const struct moments *m, uint32_t task);

#endif
