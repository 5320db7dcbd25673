/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - makes metrics, in Prometheus' text format 0.0.4, from the answer to the request
 * "status". If a field is missing in the answer, its metric is left out instead of shown as 0. No
 * I/O. Any thread may call it.
 */
#ifndef CTRACE_DAEMON_CONTROL_METRICS_H
#define CTRACE_DAEMON_CONTROL_METRICS_H

#include <jansson.h>
#include <stdint.h>

/* Makes the metrics from status, the answer to the request "status". boot_to_real_ns: wall clock
 * time minus boot time, in nanoseconds. Returns the text, which the caller frees, or NULL if there
 * is no memory. */
char *metrics_text(const json_t *status, int64_t boot_to_real_ns);

#endif
