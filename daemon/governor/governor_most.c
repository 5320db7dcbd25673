// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/governor/governor_most.h"

#include <inttypes.h>
#include <stdio.h>

#include "daemon/thresholds.h"

struct most most_task(const struct caps *c, uint64_t now_ns)
{
	struct most m = { .kind = MOST_TASK, .ts_ns = now_ns };

	m.id = caps_most(c, &m.share);
	return m.id && m.share > MOST_SHARE ? m : (struct most){ .ts_ns = now_ns };
}

struct most most_group(const struct groups *g, uint64_t now_ns)
{
	struct most m = { .ts_ns = now_ns };
	uint64_t group = groups_most(g, &m.share);

	if (group)
		/* The count of the group is too low by at most `displaced`. groups_most() adds
		 * `displaced` to it, for the largest possible share. But m.share has to be the
		 * smallest possible share. */
		m.share -= (double)g->displaced / g->total;
	if (!group || m.share <= MOST_SHARE)
		return (struct most){ .ts_ns = now_ns };
	m.kind = group & GOVERN_CGROUP ? MOST_CGROUP : MOST_USER;
	m.id = group & ~GOVERN_CGROUP;
	return m;
}

const char *most_text(const struct most *m, char buf[MOST_TEXT_MAX])
{
	double percent = m->share * 100;

	switch (m->kind) {
	case MOST_NONE:
		buf[0] = 0;
		break;
	case MOST_TASK:
		snprintf(buf, MOST_TEXT_MAX, " Task %.*s[%" PRIu64 "] makes the most records (%.0f %%).",
			 CT_COMM_LEN, m->comm, m->id, percent);
		break;
	case MOST_USER:
	case MOST_CGROUP:
		snprintf(buf, MOST_TEXT_MAX, " The tasks of %s %" PRIu64 " make the most records (%.0f %%).",
			 m->kind == MOST_USER ? "user" : "control group", m->id, percent);
		break;
	}
	return buf;
}
