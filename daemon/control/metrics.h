/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics.h - the answer to status as metrics, in Prometheus' text format 0.0.4.
 * What the answer does not have is left out, so that no metric says 0 for "not
 * known".  No I/O.  Any thread.
 */
#ifndef CTRACE_DAEMON_CONTROL_METRICS_H
#define CTRACE_DAEMON_CONTROL_METRICS_H

#include <jansson.h>
#include <stdint.h>

/* boot_to_real_ns: what to add to a time of the answer to get the wall clock's.  The text (malloc'd), or
 * NULL: out of memory. */
char *metrics_text(const json_t *status, int64_t boot_to_real_ns);

#endif
