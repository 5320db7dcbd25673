/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric.h - the metrics by which runs are compared. Each metric of n runs is a weighted sum of the
 * runs in order of length. So the metric of a part is the same sum of the part, and the parts add
 * up.
 *
 * A quantile is that of Harrell and Davis ("A new distribution-free quantile estimator",
 * Biometrika 69, 1982). Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_DELTA_METRIC_H
#define CTRACE_ANALYSIS_DELTA_METRIC_H

#include <stddef.h>
#include <stdint.h>

enum delta_metric { DELTA_MEAN, DELTA_P50, DELTA_P95, DELTA_P99, DELTA_MAX, DELTA_METRICS };
/* Returns the word for a metric: "mean", "p50", ... */
const char *metric_name(enum delta_metric m);
/* Returns the metric with this word, or DELTA_METRICS. */
enum delta_metric metric_of(const char *word);

#define METRIC_WEIGHTS_SUM (1ULL << 40)

/* Fills ret[0..n) with the weights of n runs, the shortest run first; n > 0. The weights add up to
 * METRIC_WEIGHTS_SUM. total_ns[i] is the length of run i. Runs of one length have one weight, apart
 * from the rounding. */
void metric_weights(enum delta_metric metric, const uint64_t *total_ns, size_t n, uint64_t *ret);

#endif
