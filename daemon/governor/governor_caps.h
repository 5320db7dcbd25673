/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_caps.h - caps the tasks that make more records in a second than the limit. Until the
 * second is over, most records of such a task are left out (bpf/caps.h). The counts come from a
 * sample of the records. Pure. One thread at a time.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_CAPS_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/govern_state.h"
#include "ctrace/abi.h"
#include "daemon/thresholds.h"

#define CAPS_MAX 16

struct caps_task {
	uint32_t tid, n;   /* n: records in this second, estimated from the sample */
	uint64_t since_ns; /* the task is capped since this time; 0: it is not capped */
};

struct caps {
	uint32_t per_s; /* the limit; 0: no task is ever capped */
	uint32_t seen;  /* records so far; one in CAPS_SAMPLE is in the sample */
	/* records in the sample of this second; a record about two tasks counts twice */
	uint32_t total;
	unsigned n_capped;
	uint64_t second_ns;
	/* tasks that were not capped because CAPS_MAX tasks were capped already */
	uint64_t refused;
	/* indexed by GOVERN_SLOT(tid), as in the kernel */
	struct caps_task task[GOVERN_CAPS];
};

void caps_init(struct caps *c, uint32_t per_s, uint64_t now_ns);
void caps_count(struct caps *c, const struct ct_rec *rec);
/* Returns true if the record is in the sample. */
static inline bool caps_note(struct caps *c, const struct ct_rec *rec)
{
	if (++c->seen & (CAPS_SAMPLE - 1))
		return false;
	caps_count(c, rec);
	return true;
}
struct caps_ops {
	void (*cap)(void *arg, uint32_t tid);
	void (*uncap)(void *arg, uint32_t tid, uint64_t since_ns);
	void *arg;
};
/* Returns the task with the largest count of this second. 0: none, or the sample has fewer than
 * GROUPS_LEAST records. At least *ret_share (0 to 1) of all counted records are about the task. */
uint32_t caps_most(const struct caps *c, double *ret_share);
/* Returns true if the present second is over. The next caps_round() then forgets all counts. */
bool caps_over(const struct caps *c, uint64_t now_ns);
/* Caps the tasks that have reached the limit. When the second is over, ends all caps and forgets
 * all counts. Call this in each round of the drain thread. */
void caps_round(struct caps *c, uint64_t now_ns, const struct caps_ops *ops);
void caps_end(struct caps *c, const struct caps_ops *ops);
/* Returns true if the task is capped itself, not only as a member of a group. */
bool caps_has(const struct caps *c, uint32_t tid);

#endif
