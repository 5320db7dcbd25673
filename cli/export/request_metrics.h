/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_metrics.h - the requests of each service as counters and histograms in Prometheus' text
 * format 0.0.4. Counters must never fall, so each run reads the text that the previous run wrote,
 * and adds the newer requests. One thread.
 */
#ifndef CTRACE_CLI_EXPORT_REQUEST_METRICS_H
#define CTRACE_CLI_EXPORT_REQUEST_METRICS_H

#include <stdio.h>

#include "analysis/requests/services.h"
#include "cli/thresholds.h"

#define REQUEST_METRICS_BUCKETS 17 /* the last one is +Inf */

struct request_metrics_row {
	char name[CT_COMM_LEN * 2];
	char address[DESCRIBE_MAX];
	char container[CGROUP_NAME_MAX];           /* "" if none; the text then has no such label */
	uint64_t buckets[REQUEST_METRICS_BUCKETS]; /* not cumulative, unlike in the text */
	uint64_t sum_ns;
};

struct request_metrics {
	/* The first n rows are services. The requests of all further services are in `others`. */
	struct request_metrics_row v[METRICS_SERVICES], others;
	size_t n;
	uint64_t until_real_ns; /* requests before this time are counted; 0: no run before */
	uint64_t window_ns;     /* the length of the window of the last run */
	uint64_t skipped_ns;    /* since the first run: the time that no window covered */
	uint64_t lacking_ns;    /* the sum of the times in which the daemon left out messages */
};

/* Reads the text that an earlier run wrote. Returns 0, or -EBADMSG if the text has another format.
 * After -EBADMSG, *m is not valid. */
int request_metrics_read(struct request_metrics *m, const char *text);
/* Adds the answered requests. s->v begins with the services that took the most time, so these
 * services get rows of their own first. */
void request_metrics_add(struct request_metrics *m, const struct services *s);
void request_metrics_print(FILE *f, const struct request_metrics *m);

#endif
