/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_rate.h - limits how often the daemon takes the snapshot of an incident. "1/min, 10/h" is
 * an example of such limits. Pure. Only one thread at a time. */
#ifndef CTRACE_DAEMON_CONFIG_INCIDENT_RATE_H
#define CTRACE_DAEMON_CONFIG_INCIDENT_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define INCIDENT_RATE_LIMITS 4
#define INCIDENT_RATE_MAX    100 /* the largest N in a limit such as "N/min" */

/* In any time span of v[i].per_ns there are at most v[i].n snapshots. At most half of v[i].n,
 * rounded up, are for one program, and at most half of v[i].n, rounded up, are for one user other
 * than root. So if v[i].n is 2 or more, a program that hangs again and again leaves some snapshots
 * for other programs. */
struct incident_rate {
	struct {
		unsigned n;
		uint64_t per_ns;
	} v[INCIDENT_RATE_LIMITS];
	unsigned n;
	bool never;
};

/* The times, programs and users of the last INCIDENT_RATE_MAX snapshots. All zero: there was no
 * snapshot yet. */
struct incident_times {
	struct {
		uint64_t ns;
		char comm[CT_COMM_LEN];
		uint32_t uid;
	} v[INCIDENT_RATE_MAX];
	unsigned n; /* snapshots so far; the next one is written to v[n % INCIDENT_RATE_MAX] */
};

/* Reads up to four limits ("N/s", "N/min", "N/h", "N/day") with commas between them, or "no", which
 * allows no snapshot. Returns 0, or -EINVAL; then ret is untouched. */
int incident_rate_parse(const char *s, struct incident_rate *ret);
/* Returns true if a snapshot is allowed at now_ns, for a hang of the program comm of the user uid.
 * *ret_next_ns (may be NULL) becomes the earliest time at which a snapshot is allowed: 0 if a
 * snapshot is allowed at any time, UINT64_MAX if never. */
bool incident_rate_allows(const struct incident_rate *r, const struct incident_times *t, const char *comm,
			  uint32_t uid, uint64_t now_ns, uint64_t *ret_next_ns);
/* Notes that a snapshot was taken at ns. */
void incident_times_add(struct incident_times *t, const char *comm, uint32_t uid, uint64_t ns);

#endif
