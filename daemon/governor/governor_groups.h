/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_groups.h - finds the group of tasks that makes the most records. govern_group() in
 * include/ctrace/govern_state.h says what a group is. Pure. Only one thread at a time.
 *
 * Groups are counted in a table of fixed size, in which groups with few records displace each other
 * (Misra and Gries, Finding repeated elements, 1982). A group with more than half of all records is
 * always in the table. The count of a group may be too low, by at most `displaced` of struct
 * groups.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_GROUPS_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_GROUPS_H

#include <stdint.h>

#define GROUPS_MAX 16

struct groups {
	struct {
		uint64_t group; /* 0: this entry is free */
		uint32_t n;
	} v[GROUPS_MAX];
	uint32_t total, displaced;
	uint64_t aged_ns;
};

/* Forgets all counts. */
void groups_init(struct groups *g, uint64_t now_ns);
/* Counts a record for a task of this group. group is 0 if the task is in no group. */
void groups_add(struct groups *g, uint64_t group);
/* Returns the group with the largest count. Returns 0 if no group has a count, or if fewer than
 * GROUPS_LEAST records were counted. *ret_share becomes an upper limit of the part (0 to 1) that
 * this group has in all counted records. If there are many groups, the real part may be lower by up
 * to 1/GROUPS_MAX. */
uint64_t groups_most(const struct groups *g, double *ret_share);
/* Halves all counts if GROUPS_HALF_NS have passed since the counts were last halved. */
void groups_age(struct groups *g, uint64_t now_ns);

#endif
