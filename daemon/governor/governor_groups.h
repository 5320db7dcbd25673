/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_groups.h - finds the group that makes most of the records.  What a group is: govern_group() in
 * include/ctrace/govern_state.h.  Pure.
 *
 * Counts in a table of fixed size in which groups with few records displace each other (Misra and Gries,
 * Finding repeated elements, 1982): a group with more than half of all records is always in it, and its count
 * is less than the truth by no more than was displaced.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_GROUPS_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_GROUPS_H

#include <stdint.h>

#define GROUPS_MAX     16
#define GROUPS_LEAST   256 /* counts, before anything is said of them: a sixteenth of the records counts */
#define GROUPS_HALF_NS 500000000u /* old counts weigh half as much after that time */

struct groups {
	struct {
		uint64_t group; /* 0: free */
		uint32_t n;
	} v[GROUPS_MAX];
	uint32_t total, displaced;
	uint64_t aged_ns;
};

/* Forgets all counts. */
void groups_init(struct groups *g, uint64_t now_ns);
/* A task of the group (0: of none) had a part in a record. */
void groups_add(struct groups *g, uint64_t group);
/* The group with most counts, and its part of all, as far as can be told: with 16 places and many groups it
 * may be a sixteenth less.  0: there is none. */
uint64_t groups_most(const struct groups *g, double *ret_share);
void groups_age(struct groups *g, uint64_t now_ns);

#endif
