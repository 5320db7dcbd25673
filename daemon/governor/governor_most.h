/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governor_most.h - finds the task, user or control group that makes the most records, if its part
 * is certainly larger than MOST_SHARE. Pure. One thread at a time. */
#ifndef CTRACE_DAEMON_GOVERNOR_GOVERNOR_MOST_H
#define CTRACE_DAEMON_GOVERNOR_GOVERNOR_MOST_H

#include <stdint.h>

#include "ctrace/abi.h"
#include "daemon/governor/governor_caps.h"
#include "daemon/governor/governor_groups.h"

enum most_kind {
	/* none makes more than MOST_SHARE, or too few records were counted (GROUPS_LEAST) */
	MOST_NONE,
	MOST_TASK,
	MOST_USER,
	MOST_CGROUP,
};

struct most {
	enum most_kind kind;
	uint64_t id;  /* tid, uid, or id of the control group */
	double share; /* at least this part (0 to 1) of all records is from this task or group */
	uint64_t ts_ns;
	char comm[CT_COMM_LEN]; /* name of the task; may lack a final 0 */
};

#define MOST_TEXT_MAX 128

/* most_task() and most_group() do not set comm; the caller does. */
struct most most_task(const struct caps *c, uint64_t now_ns);
struct most most_group(const struct groups *g, uint64_t now_ns);
/* Writes a sentence with a space before it, or "" for MOST_NONE. Returns buf. */
const char *most_text(const struct most *m, char buf[MOST_TEXT_MAX]);

#endif
