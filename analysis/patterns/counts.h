/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.h - how often each event (collect.h) happens in each run of a command, and whether it happens
 * more often in new runs than in old ones.
 *
 * Pure; one thread at a time for each structure.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_COUNTS_H
#define CTRACE_ANALYSIS_PATTERNS_COUNTS_H

#include "analysis/patterns/collect.h"

#define COUNTS_ROWS_MAX 4096 /* different events; further ones are refused */
#define COUNTS_RUNS_MAX 1000
#define COUNTS_MAX      (1ULL << 40) /* events of one kind in a run */
#define COUNTS_TEXT_MAX SEQUENCE_SYMBOL_BYTES

struct counts_row {
	/* The text of the event in the first run that has the event. '#' replaces ports from
	 * PROFILE_CLIENT_PORT on. */
	char *text;
	char *key;       /* text without directories: they may differ between old and new runs */
	VEC(uint64_t) n; /* [run]; a run beyond the end: 0 */
};

/* A zeroed structure is empty. */
struct counts {
	VEC(struct counts_row) rows;
	struct map by_key;
	size_t n_runs;
	size_t n_incomplete; /* runs that lack events, and so are not in n_runs */
	uint64_t refused;    /* calls of counts_add() with an event beyond COUNTS_ROWS_MAX */
};

/* Adds n runs without events. Returns 0, or -E2BIG if there would be more than COUNTS_RUNS_MAX. */
int counts_begin(struct counts *c, size_t n);
/* Adds n to the count of the event in a run. Returns 0 (also if it refused the event), -EINVAL (no
 * such run), -E2BIG (a count above COUNTS_MAX) or -ENOMEM. */
int counts_add(struct counts *c, size_t run, const char *text, uint64_t n);
/* Adds the run that collect_life() found. A run that lacks events counts as incomplete. Returns 0,
 * -E2BIG or -ENOMEM. */
int counts_run(struct counts *c, const struct collected *life);
void counts_done(struct counts *c);

enum counts_kind {
	COUNTS_OK,   /* no count grew */
	COUNTS_GREW, /* a count grew, and chance hardly explains it */
	COUNTS_OPEN, /* a count grew, but perhaps by chance; or the counts cannot be compared */
};

/* An event whose counts in the new runs are all above, or all below, its counts in the old runs. */
struct counts_change {
	const char *text; /* borrowed from the new side, or else from the old side */
	uint64_t old_min, old_max, new_min, new_max;
};

struct counts_result {
	enum counts_kind kind;
	VEC(struct counts_change) changes; /* sorted: grown counts first, larger changes first */
	size_t n_grew;                     /* changes.v[0 .. n_grew) grew */
	size_t n_old, n_new;               /* runs */
	size_t n_varying;                  /* events whose count is not the same in all runs */
	/* If the old and the new command are equal, chance makes a count grow with a probability of at
	 * most p. */
	double p;
	size_t runs_needed; /* COUNTS_OPEN: the runs of each side that are needed to decide; 0: not known */
};

/*
 * looks: how often the check may decide, at least 1. The caller calls counts_result_done(). Returns 0
 * or -ENOMEM.
 * - A count grew if its smallest value in the new runs is above its largest value in the old runs.
 * - If the commands are equal, chance makes one count grow with a probability of at most
 *   1 / C(n_old + n_new, n_new). n_varying counts may grow, so p is this number times n_varying.
 * - The result is COUNTS_GREW if a count grew, and p is at most COUNTS_ALPHA / looks.
 */
int counts_compare(const struct counts *old_side, const struct counts *new_side, unsigned looks,
		   struct counts_result *ret);
void counts_result_done(struct counts_result *r);

#endif
