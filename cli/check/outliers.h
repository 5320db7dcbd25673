/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outliers.h - finds recorded runs that took far longer than the other runs of their side, and says why by
 * their critical paths. They count all the same. Pure; any thread. */
#ifndef CTRACE_CLI_CHECK_OUTLIERS_H
#define CTRACE_CLI_CHECK_OUTLIERS_H

#include "analysis/delta/delta.h"
#include "cli/compare/baseline.h"
#include "lib/vec.h"

struct outlier {
	bool is_new;
	size_t run; /* counts the recorded runs of the side, from 1 on */
	/* from the other runs of the side to this one; p50 */
	struct delta *delta;
};

/* A zeroed structure is empty. */
struct outliers {
	VEC(struct outlier) v; /* the longest first, of each side */
};

/*
 * Adds the outliers of a side. A run is an outlier if both hold:
 * - Its time is above the outer fence of Tukey (Exploratory Data Analysis, 1977): above the third quartile by
 *   more than CHECK_OUTLIER_FENCE times the distance of the quartiles.
 * - It is longer than the median of the side by more than the share max_regress.
 * Returns 0 or -ENOMEM. The caller calls outliers_done(), also after failure.
 */
int outliers_find(const struct baseline *side, bool is_new, double max_regress, struct outliers *o);
void outliers_done(struct outliers *o);

/* Returns the part that made the run longer than the others. NULL: no part grew. */
const struct delta_row *outlier_cause(const struct outlier *o);

#endif
