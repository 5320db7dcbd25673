// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/selector.h"

#include <string.h>

bool selector_is_set(const struct selector *s)
{
	return s->tid || s->pid || s->comm || s->cgroup || s->container;
}

bool selector_fits(const struct selector *s, const struct window *w, uint32_t tid, uint64_t ts_ns)
{
	const struct window_task *t;
	struct cgroup_name p;

	if (s->tid && s->tid != tid)
		return false;
	if (!s->pid && !s->comm && !s->cgroup && !s->container)
		return true;
	t = tid ? window_task_at(w, tid, ts_ns) : NULL;
	if (!t || (s->pid && s->pid != t->tgid) || (s->comm && strcmp(s->comm, t->comm) != 0))
		return false;
	if (!s->cgroup && !s->container)
		return true;
	p = cgroup_name_of(w, tid, ts_ns);
	return cgroup_name_matches(&p, s->cgroup, s->container);
}
