/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_wake.h - what the comparison of a wait with earlier ones found: which wake-up is missing or
 * late, and which task has not sent it.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_H

#include "graph/wake/blame.h"

#define MISSING_STEPS 8 /* tasks on the path of a wake-up that are looked at */

enum missing_wake_how {
	MISSING_ENDED,  /* the task has ended */
	MISSING_SILENT, /* it goes on with the doings that led to the wake-up before, but does not send it */
	MISSING_ELSEWHERE, /* it waits for something else */
	MISSING_ASLEEP,    /* it waits where it always waits before the wake-up, but for longer */
	MISSING_BUSY,      /* it runs, or wants to */
};

/* A task that was to wake the one before it; the first was to wake the waiter. */
struct missing_wake_step {
	uint32_t task;
	uint32_t wait;    /* the wait that it was to end */
	uint64_t from_ns; /* of that wait what is looked at */
	uint64_t to_ns;
	uint64_t obj;        /* that wait's, as blame.obj in the reference */
	enum edge_kind edge; /* how it did in the reference */
	uint32_t count;      /* how often it ended such a wait before; 0: another task of its role did */
	bool more;           /* count is a lower bound: there were too many waits to look at */
	uint64_t last_ns;    /* when it did so last; 0: never */
};

struct missing_wake {
	uint32_t wait; /* the wait in question, an interval; the first, if time limits cut it into several */
	uint64_t wait_from_ns; /* all of it that is looked at */
	uint64_t wait_to_ns;
	uint32_t reference;   /* the wait that it is compared with */
	uint64_t ref_from_ns; /* what the wake-up of the reference goes back to */
	float similarity;     /* 0..1 */
	uint32_t occurrences; /* waits like it that ended that way */
	uint32_t others;      /* that ended in another way */
	uint32_t refused;     /* that were not looked at */
	uint64_t usual_ns;    /* median length of the occurrences */
	bool late;            /* the wake-up came in the end */
	bool regular;         /* no gap between two earlier wake-ups was nearly as long as this wait */
	bool own_accord;      /* a timer of the last task on its path began it */
	struct missing_wake_step steps[MISSING_STEPS]; /* the last is the one to name */
	uint32_t n_steps;
	enum missing_wake_how how;
	uint32_t instead;    /* the interval in which the named task is; GRAPH_NONE: it has ended */
	uint64_t since_ns;   /* since when */
	uint64_t instead_ns; /* for how long, of the time of the wait */
	uint32_t triggers;   /* MISSING_SILENT: how often it got what led to it before */
	char *text;          /* all of this in words */
};

void missing_wake_free(struct missing_wake *m);
/* The waits are alike enough, and enough in number, to name a task. */
bool missing_wake_is_good(const struct missing_wake *m);
/* The same without doubt: more alike, and more in number. */
bool missing_wake_is_sure(const struct missing_wake *m);
const struct missing_wake_step *missing_wake_named(const struct missing_wake *m);

#endif
