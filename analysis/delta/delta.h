/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delta.h - compares the profiles of old and new runs: the difference of a metric, divided among
 * the parts. The rows add up exactly: to the metric of the old runs, to that of the new runs, and
 * to the difference.
 *
 * Pure; any thread. A delta owns all that it has, and does not need the profiles.
 */
#ifndef CTRACE_ANALYSIS_DELTA_DELTA_H
#define CTRACE_ANALYSIS_DELTA_DELTA_H

#include "analysis/delta/metric.h"
#include "analysis/profile/profile.h"

struct delta_side {
	size_t runs;
	uint64_t value_ns;       /* the metric */
	uint64_t min_ns, max_ns; /* the shortest and the longest run */
};

struct delta_row {
	char *key, *detail, *text;   /* as in struct profile_part */
	uint64_t old_ns, new_ns;     /* the share of the part in the metric */
	int64_t difference_ns;       /* new_ns - old_ns */
	double old_count, new_count; /* waits or runs in a run, weighted as the metric */
	enum part_class class;
};

struct delta {
	enum delta_metric metric;
	struct delta_side old, new;
	int64_t difference_ns;  /* new.value_ns - old.value_ns */
	int64_t environment_ns; /* the part of difference_ns in rows of class ENVIRONMENT */
	struct delta_row *rows; /* the largest change first, growth or not */
	size_t n_rows;
	char *sentence; /* safe to print */
};

/*
 * Compares. n_old, n_new > 0. The lengths are below 2^62 ns.
 *
 * Only long waits have a detail (struct profile_part). If waits become longer, time moves from the
 * part without a detail to a part with one, although the program did not change. So a row without a
 * detail is added to the row with the same key that changed most in the other direction.
 *
 * The caller frees *ret with delta_free(). Returns 0 or -ENOMEM.
 */
int delta_new(const struct profile *const *old, size_t n_old, const struct profile *const *new, size_t n_new,
	      enum delta_metric metric, struct delta **ret);
void delta_free(struct delta *d);
/* Returns the sentence of a delta whose other members are set; the caller frees it. NULL: out of
 * memory. delta_new() calls this function. */
char *delta_words(const struct delta *d);

#endif
