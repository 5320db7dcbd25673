/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * study.h - compares groups of runs of one command, such as runs under several settings, with the
 * first group. Pure; any thread. A study may outlive the profiles.
 */
#ifndef CTRACE_ANALYSIS_DELTA_STUDY_H
#define CTRACE_ANALYSIS_DELTA_STUDY_H

#include "analysis/delta/delta.h"

struct study_run {
	const struct profile *profile;
	const char *label; /* runs with the same label are one group */
	bool known;        /* all settings of the run are known; `known` is the same for a whole group */
};

struct study_group {
	size_t first;                    /* index of the first run of the group */
	struct delta *delta;             /* from the first group to this one; delta->new is this group */
	uint64_t class_ns[PART_CLASSES]; /* the share of each class; the sum is delta->new.value_ns */
};

/* The groups are in the order of their first runs; groups with an unknown setting come last. */
struct study {
	struct study_group *groups;
	size_t n_groups;
	size_t furthest; /* the group that differs most from the first one; 0: none differs */
};

/* Compares n > 0 runs, each shorter than 2^62 ns. The caller frees *ret with study_free().
 * Returns 0 or -ENOMEM. */
int study_new(const struct study_run *runs, size_t n, enum delta_metric metric, struct study **ret);
void study_free(struct study *s);
/* Returns the part that changed most in the direction of g->delta->difference_ns. The study owns
 * it. NULL: the group is as long as the first one. */
const struct delta_row *study_reason(const struct study_group *g);

#endif
