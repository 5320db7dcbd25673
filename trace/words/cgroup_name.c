// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/words/cgroup_name.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "trace/words/describe.h"

struct cgroup_name cgroup_name_of_path(const char *cgroup)
{
	struct cgroup_name p = { .cgroup = cgroup };

	cgroup_unit(cgroup, p.unit);
	cgroup_container(cgroup, p.container);
	return p;
}

struct cgroup_name cgroup_name_of(const struct window *w, uint32_t tid, uint64_t ts_ns)
{
	const struct window_task *t = tid ? window_task_at(w, tid, ts_ns) : NULL;
	const struct window_object *o = t ? window_object(w, CT_OBJ_ID(CT_OBJ_CGROUP, t->cgroup_id)) : NULL;
	const struct window_object *c = o && o->peer ? window_object(w, o->peer) : NULL;
	struct cgroup_name p = cgroup_name_of_path(o ? o->name : "");

	if (c && c->name[0])
		snprintf(p.container, sizeof(p.container), "%s", c->name);
	return p;
}

bool cgroup_name_is_same(const struct cgroup_name *a, const struct cgroup_name *b)
{
	return !strcmp(a->container, b->container) && (a->container[0] || !strcmp(a->unit, b->unit));
}

bool cgroup_name_matches(const struct cgroup_name *p, const char *cgroup, const char *container)
{
	char id[CGROUP_ID_LEN + 1];

	if (cgroup && (!p->cgroup[0] || fnmatch(cgroup, p->cgroup, 0)))
		return false;
	if (!container)
		return true;
	return p->container[0] &&
	       (!fnmatch(container, p->container, 0) ||
		(cgroup_container_id(p->cgroup, id) && !strncmp(id, container, strlen(container))));
}

const char *cgroup_name_words(const struct cgroup_name *p, const struct cgroup_name *before, bool differ,
			      char buf[CGROUP_NAME_WORDS_MAX])
{
	char name[CGROUP_NAME_MAX];

	buf[0] = 0;
	if (before && cgroup_name_is_same(p, before))
		return buf;
	describe_clean(p->container[0] ? p->container : p->unit, name, sizeof(name));
	if (p->container[0])
		snprintf(buf, CGROUP_NAME_WORDS_MAX, " in container %s", name);
	else if (differ && p->unit[0])
		snprintf(buf, CGROUP_NAME_WORDS_MAX, " in %s", name);
	else if (before && before->container[0] && p->cgroup[0])
		snprintf(buf, CGROUP_NAME_WORDS_MAX, " on the host");
	return buf;
}
