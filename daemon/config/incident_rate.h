/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_rate.h - how often something may happen: "1/min, 10/h".  Pure; one thread. */
#ifndef CTRACE_DAEMON_CONFIG_INCIDENT_RATE_H
#define CTRACE_DAEMON_CONFIG_INCIDENT_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define INCIDENT_RATE_LIMITS 4
#define INCIDENT_RATE_MAX    100 /* times in one limit */

/* At most n[i] times in any stretch of per_ns[i], of which half, rounded up, for one program, and for one
 * user but root: who hangs again and again leaves something to the others. */
struct incident_rate {
	struct {
		unsigned n;
		uint64_t per_ns;
	} v[INCIDENT_RATE_LIMITS];
	unsigned n;
	bool never;
};

/* When, and for which program and user, it last happened; 0-initialized: never. */
struct incident_times {
	struct {
		uint64_t ns;
		char comm[CT_COMM_LEN];
		uint32_t uid;
	} v[INCIDENT_RATE_MAX];
	unsigned n; /* in all */
};

/* "N/s", "N/min", "N/h", "N/day", up to four with commas between; "no": never.  0 or -EINVAL. */
int incident_rate_parse(const char *s, struct incident_rate *ret);
/* Whether it may happen for comm of uid at now_ns; else *ret_next_ns (may be NULL) is when it may,
 * UINT64_MAX: never. */
bool incident_rate_allows(const struct incident_rate *r, const struct incident_times *t, const char *comm,
			  uint32_t uid, uint64_t now_ns, uint64_t *ret_next_ns);
/* It happens. */
void incident_times_add(struct incident_times *t, const char *comm, uint32_t uid, uint64_t ns);

#endif
