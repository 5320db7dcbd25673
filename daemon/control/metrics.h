/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - makes metrics in the text format 0.0.4 of Prometheus. If a field is missing in the
 * status, its metric is left out instead of shown as 0. No I/O. Any thread.
 */
#ifndef CTRACE_DAEMON_CONTROL_METRICS_H
#define CTRACE_DAEMON_CONTROL_METRICS_H

#include <jansson.h>
#include <stdint.h>

/* status: the answer to the request "status". boot_to_real_ns: wall clock time minus boot time.
 * Returns the text, which the caller frees. NULL: out of memory. */
char *metrics_text(const json_t *status, int64_t boot_to_real_ns);

#endif
