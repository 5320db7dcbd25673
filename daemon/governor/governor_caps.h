/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_caps.h - finds the tasks that make more records in a second than the limit for one task,
 * and caps them. From then on, until the second is over, the records of such a task are left out,
 * except for long waits. Pure. Only one thread at a time.
 *
 * The counts come from a sample of the records. They are in a table of fixed size, in which a task
 * with few records loses its place to another task.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_CAPS_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/govern_state.h"
#include "ctrace/abi.h"
#include "daemon/thresholds.h"

#define CAPS_MAX 16 /* how many tasks may be capped at a time */

struct caps_task {
	uint32_t tid, n;   /* n: the number of records in this second, estimated from the sample */
	uint64_t since_ns; /* the task is capped since this time; 0: it is not capped */
};

struct caps {
	uint32_t per_s; /* the limit; 0: no task is ever capped */
	uint32_t seen;  /* number of records so far; one record in CAPS_SAMPLE is in the sample */
	/* records of this second that are in the sample; a record about two tasks counts twice */
	uint32_t total;
	unsigned n_capped;
	uint64_t second_ns; /* when the present second began */
	/* how often a task was not capped because CAPS_MAX tasks were capped */
	uint64_t refused;
	/* the index of a task is GOVERN_SLOT(tid), as in the kernel */
	struct caps_task task[GOVERN_CAPS];
};

/* per_s: the limit: how many records one task may make in a second; 0: no limit. */
void caps_init(struct caps *c, uint32_t per_s, uint64_t now_ns);
/* Counts a record for its tasks. Only caps_note() calls this function. */
void caps_count(struct caps *c, const struct ct_rec *rec);
/* Takes note of one record. Returns true if the record is in the sample. The function is inline,
 * because it is called for each record. */
static inline bool caps_note(struct caps *c, const struct ct_rec *rec)
{
	if (++c->seen & (CAPS_SAMPLE - 1))
		return false;
	caps_count(c, rec);
	return true;
}
/* caps_round() and caps_end() call cap() for each task whose cap begins, and uncap() for each task
 * whose cap ends. */
struct caps_ops {
	void (*cap)(void *arg, uint32_t tid);
	void (*uncap)(void *arg, uint32_t tid, uint64_t since_ns);
	void *arg;
};
/* Returns the task with the largest count of this second. Returns 0 if no task has a count, or if
 * the sample has fewer than GROUPS_LEAST records. *ret_share becomes a lower limit of the part (0
 * to 1) that this task has in all counted records. */
uint32_t caps_most(const struct caps *c, double *ret_share);
/* Returns true if the present second is over. The next caps_round() then forgets the counts of this
 * second. */
bool caps_over(const struct caps *c, uint64_t now_ns);
/* Caps the tasks that have reached the limit. When the second is over, ends all caps and forgets
 * all counts. The caller calls this function in each round of the drain thread. */
void caps_round(struct caps *c, uint64_t now_ns, const struct caps_ops *ops);
/* Ends all caps. */
void caps_end(struct caps *c, const struct caps_ops *ops);
/* Returns true if the task is capped because of its own records. The cap of a group does not count
 * here. */
bool caps_has(const struct caps *c, uint32_t tid);

#endif
