/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * governor_groups.h - finds the group of tasks that makes the most records (govern_group()). Pure.
 * One thread at a time.
 *
 * In a table of fixed size, groups with few records displace each other (Misra and Gries, Finding
 * repeated elements, 1982). A group with more than half of all records is always in the table. A
 * count may be too low, by at most `displaced`.
 */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_GROUPS_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_GROUPS_H

#include <stdint.h>

#define GROUPS_MAX 16

struct groups {
	struct {
		uint64_t group;
		uint32_t n;
	} v[GROUPS_MAX];
	uint32_t total, displaced;
	uint64_t aged_ns;
};

void groups_init(struct groups *g, uint64_t now_ns);
/* group 0: the task is in no group. */
void groups_add(struct groups *g, uint64_t group);
/* Returns the group with the largest count. 0: none, or fewer than GROUPS_LEAST records were
 * counted. *ret_share: the group's part (0 to 1) of all counted records, at most 1/GROUPS_MAX too
 * high. */
uint64_t groups_most(const struct groups *g, double *ret_share);
/* Halves all counts once in GROUPS_HALF_NS. */
void groups_age(struct groups *g, uint64_t now_ns);

#endif
