/* SPDX-License-Identifier: GPL-2.0-or-later */
/* incident_rate.h - limits how often the daemon takes snapshots of incidents, such as "1/min,
 * 10/h". Pure. One thread at a time. */
#ifndef CTRACE_DAEMON_CONFIG_INCIDENT_RATE_H
#define CTRACE_DAEMON_CONFIG_INCIDENT_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define INCIDENT_RATE_LIMITS 4
#define INCIDENT_RATE_MAX    100 /* the largest N in a limit, such as "N/min" */

/* In any span of v[i].per_ns there are at most v[i].n snapshots. One program, or one user other
 * than root, gets at most half of v[i].n, rounded up. So a program that hangs again and again leaves
 * snapshots for others. */
struct incident_rate {
	struct {
		unsigned n;
		uint64_t per_ns;
	} v[INCIDENT_RATE_LIMITS];
	unsigned n;
	bool never;
};

/* The last INCIDENT_RATE_MAX snapshots. All zero: there was none yet. */
struct incident_times {
	struct {
		uint64_t ns;
		char comm[CT_COMM_LEN];
		uint32_t uid;
	} v[INCIDENT_RATE_MAX];
	unsigned n;
};

/* Reads up to four limits ("N/s", "N/min", "N/h", "N/day") with commas between them, or "no" for
 * no snapshot. Returns 0, or -EINVAL; then ret is untouched. */
int incident_rate_parse(const char *s, struct incident_rate *ret);
/* Returns true if a hang of the program comm of the user uid may have a snapshot now.
 * *ret_next_ns (may be NULL): the earliest allowed time; 0: any time; UINT64_MAX: never. */
bool incident_rate_allows(const struct incident_rate *r, const struct incident_times *t, const char *comm,
			  uint32_t uid, uint64_t now_ns, uint64_t *ret_next_ns);
void incident_times_add(struct incident_times *t, const char *comm, uint32_t uid, uint64_t ns);

#endif
