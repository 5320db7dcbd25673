/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delta.h - compares the profiles of old and new runs. A metric is one number for the lengths of
 * several runs, such as their mean. A delta has a row for each part of the profiles. Each row has two
 * times: the part's share of the metric of the old runs, and its share of the metric of the new runs. The
 * old times of all rows add up exactly to the old metric, and the new times to the new metric.
 *
 * Pure; any thread. A delta may outlive the profiles.
 */
#ifndef CTRACE_ANALYSIS_DELTA_DELTA_H
#define CTRACE_ANALYSIS_DELTA_DELTA_H

#include "analysis/delta/metric.h"
#include "analysis/profile/profile.h"

struct delta_side {
	size_t runs;
	uint64_t value_ns; /* the metric */
	uint64_t min_ns, max_ns;
};

struct delta_row {
	char *key, *detail, *text; /* as in struct profile_part */
	uint64_t old_ns, new_ns;
	int64_t difference_ns; /* new_ns - old_ns */
	/* The mean of profile_part.count over the old runs, and over the new runs. Each run has the weight
	 * that metric_weights() gives it. */
	double old_count, new_count;
	enum part_class class;
};

struct delta {
	enum delta_metric metric;
	struct delta_side old, new;
	int64_t difference_ns;
	int64_t environment_ns; /* the sum of difference_ns of the rows of PART_CLASS_ENVIRONMENT */
	struct delta_row *rows; /* sorted by the size of the change, the largest first */
	size_t n_rows;
	char *sentence; /* safe to print */
};

/*
 * Compares the profiles. n_old, n_new > 0. Each run is shorter than 2^62 ns.
 *
 * Only long waits and runs have a detail (struct profile_part). So if a wait becomes longer or
 * shorter, its time may move from one row to another one. The two rows have the same key, but only
 * one of them has a detail. One of the rows grows, and the other one shrinks. delta_new() makes one
 * row of the two. If there are several such rows with a detail, the one that changes most is taken.
 *
 * A random word in the name of a temporary file is '*' (role_path()), but one random word in about 40 looks
 * like a usual word. So if a row is of one run only, and has the name of another row but for a word in the
 * place of its '*', delta_new() adds it to this other row.
 *
 * The caller frees *ret with delta_free(). Returns 0, -ENOMEM, or -EOVERFLOW (DELTA_TOTAL, and the runs of a
 * side take 2^63 ns or more together).
 */
int delta_new(const struct profile *const *old, size_t n_old, const struct profile *const *new, size_t n_new,
	      enum delta_metric metric, struct delta **ret);
void delta_free(struct delta *d);
/* Returns the text for d->sentence. All other members of *d must be set. The caller frees the text.
 * NULL: out of memory. */
char *delta_words(const struct delta *d);

#endif
