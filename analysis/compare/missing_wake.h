/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_wake.h - the result of a comparison: one wait, the *examined wait*, is compared with
 * earlier waits. The *waiter* is the task of the examined wait. The result names the wake-up that
 * is missing or late, and the task that should have sent this wake-up. missing_wake_find.h says how
 * the search works. The *reference* is the earlier wait with which the examined wait is compared in
 * detail.
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_H

#include "graph/wake/blame.h"

#define MISSING_STEPS 8 /* the most tasks from the waiter to the named task */

/* What the named task (missing_wake_named()) does instead of sending the wake-up. */
enum missing_wake_how {
	MISSING_ENDED,     /* the task has ended */
	MISSING_SILENT,    /* the task is still woken in the way that made it send its earlier
			      wake-ups, but sends none */
	MISSING_ELSEWHERE, /* the task waits, but not where it waited before its earlier wake-ups,
			      or this earlier place is not known */
	MISSING_ASLEEP,    /* the task waits where it waited before its earlier wake-ups, but for
			      longer */
	MISSING_BUSY,      /* the task runs, or is runnable */
};

/* A task that should have sent a wake-up. The task of the first step should have woken the waiter.
 * The task of each later step should have woken the task of the step before it. */
struct missing_wake_step {
	uint32_t task;
	uint32_t wait;    /* the wait that the task should have ended */
	uint64_t from_ns; /* from_ns to to_ns: the part of this wait that is compared */
	uint64_t to_ns;
	uint64_t obj;        /* the object of the earlier wait with which `wait` is compared */
	enum edge_kind edge; /* the kind of the edge that ended the earlier wait with which `wait`
				is compared */
	uint32_t count;      /* how many earlier waits of the waiting task, at the same place as
				`wait`, were ended by `task`; 0: only other tasks of the role of
				`task` ended such waits */
	bool more;           /* count is a lower bound: the search stopped at SIMILAR_LOOKS waits */
	uint64_t last_ns;    /* when the task last ended one of the waits of `count`; 0: never */
};

struct missing_wake {
	uint32_t wait;         /* the examined wait, an interval; if time limits cut the wait into several
				  parts, the first part */
	uint64_t wait_from_ns; /* wait_from_ns to wait_to_ns: the part of the examined wait that is
				  compared */
	uint64_t wait_to_ns;
	uint32_t reference;   /* the reference, an interval */
	uint64_t ref_from_ns; /* the earlier of two times: the begin of the reference, and the begin
				 of the path of wake-ups that ended the reference */
	float similarity;     /* how alike the examined wait and the reference are, 0 to 1 (equal).
				 If several waits were compared one after the other, the least of
				 their likenesses */
	uint32_t occurrences; /* earlier waits that are like the examined wait, and ended in the
				 same way as the reference */
	uint32_t others;      /* earlier waits that are like the examined wait, and ended in another
				 way than the reference */
	uint32_t refused;     /* number of earlier waits and tasks that were left out because of a
				 limit (similar.h) */
	uint64_t usual_ns;    /* the length of the reference. It is the median length of the earlier
				 waits that are most like the examined wait */
	bool late;            /* the wake-up came, but later than usual */
	bool regular;         /* the gaps between earlier wake-ups were all far shorter than the
				 examined wait */
	bool own_accord;      /* in the reference, the last task on the path of the wake-up acted
				 because of its own timer, not because of another task */
	struct missing_wake_step steps[MISSING_STEPS]; /* the last step has the task to name */
	uint32_t n_steps;
	enum missing_wake_how how;
	uint32_t instead;    /* the interval in which the named task is, instead of sending the
				wake-up; GRAPH_NONE: the task has ended */
	uint64_t since_ns;   /* when `instead` began; MISSING_ENDED: when the task ended;
				MISSING_SILENT: last_ns of the last step */
	uint64_t instead_ns; /* the length of `instead`, as far as it lies in the wait that the
				named task should have ended; MISSING_BUSY: all time of this wait in
				which the named task ran or was runnable */
	uint32_t triggers;   /* MISSING_SILENT: how often the named task was woken in the way that
				made it send the wake-up in the reference. Counts only the time of
				the wait that the task should have ended */
	char *text;          /* the result in words */
};

void missing_wake_free(struct missing_wake *m);
/* Returns true if the result is good enough to name a task: `similarity` and `occurrences` are
 * large enough, and `others` is not larger than `occurrences`. */
bool missing_wake_is_good(const struct missing_wake *m);
/* Like missing_wake_is_good(), with stricter limits: the named task is no guess. */
bool missing_wake_is_sure(const struct missing_wake *m);
const struct missing_wake_step *missing_wake_named(const struct missing_wake *m);

#endif
