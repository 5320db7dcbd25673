// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cgroup_name.h"

#include "report/text.h"
#include "trace/words/describe.h"

json_t *render_cgroup_name(json_t *task, const struct cgroup_name *p)
{
	if (task && p->cgroup[0])
		json_object_set_new(task, "cgroup", text_json(p->cgroup));
	if (task && p->container[0])
		json_object_set_new(task, "container", text_json(p->container));
	return task;
}

void render_put_cgroup_name(FILE *f, const struct cgroup_name *p)
{
	if (p->cgroup[0]) {
		fputs(",\"cgroup\":", f);
		text_put_json(f, p->cgroup);
	}
	if (p->container[0]) {
		fputs(",\"container\":", f);
		text_put_json(f, p->container);
	}
}

const char *render_at(const struct cgroup_name *p, char buf[CGROUP_NAME_MAX + 1])
{
	buf[0] = p->container[0] ? '@' : 0;
	describe_clean(p->container, buf + 1, CGROUP_NAME_MAX);
	return buf;
}
