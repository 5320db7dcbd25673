/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_caps.h - finds the tasks that make more records than the limit for one task, and caps them. The
 * limit is a number of records in a second. Once a task has made this number, its records are left out until
 * the second is over. Pure; one thread.
 *
 * The counts come from a sample of the records. The counts are kept in a table of fixed size, in which a
 * task with few records loses its place to another task.
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
	uint32_t tid, n;   /* n: records of this second, estimated from the sample */
	uint64_t since_ns; /* capped since this time; 0: not capped */
};

struct caps {
	uint32_t per_s; /* the limit; 0: no task is ever capped */
	uint32_t seen;  /* records so far, to choose the sample */
	uint32_t total; /* sampled records of this second; a record about two tasks counts twice */
	unsigned n_capped;
	uint64_t second_ns;                 /* when the present second began */
	uint64_t refused;                   /* caps that were not made, because CAPS_MAX tasks were capped */
	struct caps_task task[GOVERN_CAPS]; /* a task is at GOVERN_SLOT of its tid, as in the kernel */
};

/* per_s: the limit, in records of one task in a second; 0: no limit. */
void caps_init(struct caps *c, uint32_t per_s, uint64_t now_ns);
/* Counts a record for its tasks. For caps_note() only. */
void caps_count(struct caps *c, const struct ct_rec *rec);
/* Takes note of one record. Returns true if the record is in the sample. This function is inline, because it
 * is called for each record. */
static inline bool caps_note(struct caps *c, const struct ct_rec *rec)
{
	if (++c->seen & (CAPS_SAMPLE - 1))
		return false;
	caps_count(c, rec);
	return true;
}
/* caps_round() and caps_end() call cap() for each task whose cap begins, and uncap() for each task whose cap
 * ends. */
struct caps_ops {
	void (*cap)(void *arg, uint32_t tid);
	void (*uncap)(void *arg, uint32_t tid, uint64_t since_ns);
	void *arg;
};
/* The task with the largest count of this second; 0: there is none, or the sample is too small. *ret_share: a
 * lower limit of the task's part (0 to 1) of the total. */
uint32_t caps_most(const struct caps *c, double *ret_share);
/* True: the present second is over, so the next caps_round() forgets its counts. */
bool caps_over(const struct caps *c, uint64_t now_ns);
/* Caps tasks that have reached the limit. When the second is over, ends all caps and forgets all counts. To
 * be called in each round of the drain thread. */
void caps_round(struct caps *c, uint64_t now_ns, const struct caps_ops *ops);
/* Ends all caps. */
void caps_end(struct caps *c, const struct caps_ops *ops);
/* True: the task is capped because of its own records, not because of those of its group. */
bool caps_has(const struct caps *c, uint32_t tid);

#endif
