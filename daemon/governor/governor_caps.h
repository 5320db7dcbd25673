/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_caps.h - finds the tasks that make more records than one may, and says
 * for how long which of their records are left out: once a task has made its
 * share of a second, until that second is over.  Pure.
 *
 * Who makes many is found in a part of the records, in a table of fixed size in
 * which those that make few displace each other.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_CAPS_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_CAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/govern_state.h"
#include "ctrace/abi.h"

#define CAPS_MAX    16 /* tasks capped at a time */
#define CAPS_SAMPLE 16 /* one record in so many is looked at; a power of two */

struct caps_task {
	uint32_t tid, n;   /* n: records of this second, about */
	uint64_t since_ns; /* capped since; 0: it is not */
};

struct caps {
	uint32_t per_s; /* 0: nobody is ever capped */
	uint32_t seen;  /* paces the sampling */
	unsigned n_capped;
	uint64_t second_ns;                 /* when the present second began */
	uint64_t refused;                   /* there were CAPS_MAX already */
	struct caps_task task[GOVERN_CAPS]; /* at GOVERN_SLOT of the tid, as in the kernel */
};

void caps_init(struct caps *c, uint32_t per_s, uint64_t now_ns);
void caps_count(struct caps *c, const struct ct_rec *rec);
/* Takes note of one record.  Called for all, so inline.  True: it was one of those that are looked at. */
static inline bool caps_note(struct caps *c, const struct ct_rec *rec)
{
	if (++c->seen & (CAPS_SAMPLE - 1))
		return false;
	caps_count(c, rec);
	return true;
}
/* cap() is called for each task that is to be capped from now on, uncap() for each that is no longer. */
struct caps_ops {
	void (*cap)(void *arg, uint32_t tid);
	void (*uncap)(void *arg, uint32_t tid, uint64_t since_ns);
	void *arg;
};
void caps_round(struct caps *c, uint64_t now_ns, const struct caps_ops *ops);
/* Ends all caps. */
void caps_end(struct caps *c, const struct caps_ops *ops);
/* Whether the task has a cap of its own now. */
bool caps_has(const struct caps *c, uint32_t tid);

#endif
