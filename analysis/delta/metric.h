/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric.h - the metrics by which runs are compared. A metric is a weighted sum of the lengths of
 * the runs. The times of each part get the same weights, so the parts add up to the metric.
 *
 * The quantiles are those of Harrell and Davis ("A new distribution-free quantile estimator",
 * Biometrika 69, 1982). Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_DELTA_METRIC_H
#define CTRACE_ANALYSIS_DELTA_METRIC_H

#include <stddef.h>
#include <stdint.h>

enum delta_metric { DELTA_MEAN, DELTA_P50, DELTA_P95, DELTA_P99, DELTA_MAX, DELTA_TOTAL, DELTA_METRICS };
const char *metric_name(enum delta_metric m);
/* Returns the metric with this word, or DELTA_METRICS. */
enum delta_metric metric_of(const char *word);

#define METRIC_WEIGHTS_SUM (1ULL << 40)

/* Fills ret[0..n) with the weights of n > 0 runs. total_ns[i]: the length of run i, the shortest
 * first. The weights add up to METRIC_WEIGHTS_SUM; exception: with DELTA_TOTAL, each weight is
 * METRIC_WEIGHTS_SUM. Runs of equal length have equal weights, apart from the rounding. */
void metric_weights(enum delta_metric metric, const uint64_t *total_ns, size_t n, uint64_t *ret);

#endif
