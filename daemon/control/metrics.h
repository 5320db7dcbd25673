/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics.h - metrics in the text format 0.0.4 of Prometheus. Leaves out a metric if its field is
 * missing in the status. No I/O. Any thread. */
#ifndef CTRACE_DAEMON_CONTROL_METRICS_H
#define CTRACE_DAEMON_CONTROL_METRICS_H

#include <jansson.h>
#include <stdint.h>

/* status: the answer to the request "status". boot_to_real_ns: wall clock minus boot time. The
 * caller frees the text. NULL: out of memory. */
char *metrics_text(const json_t *status, int64_t boot_to_real_ns);

#endif
