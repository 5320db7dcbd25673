// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/jobs/jobs_mark.h"

#include <string.h>

#include "lib/cleanup.h"
#include "trace/words/markname.h"

_Static_assert(JOB_LABEL_MAX > CT_MARK_NAME_MAX, "the name of a mark fits into a rule");

bool jobs_mark_rule(const struct jobs_note *n, struct job_rule *ret)
{
	static const char *const events[] = {
		[CT_MARK_POINT] = "point:", [CT_MARK_BEGIN] = "begin:", [CT_MARK_END] = "end:"
	};
	struct job_rule rule = { .flags = JOB_MARK, .job = n->args[0] };

	if (strcmp(n->provider, "ctrace_marks") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		size_t len = strlen(events[i]);
		const char *name = n->name + len;

		if (strncmp(n->name, events[i], len) != 0 || !markname_ok(name))
			continue;
		rule.event = (ct_u8)i;
		rule.name_len = (ct_u8)strlen(name);
		rule.mark = markname_id(name);
		memcpy(rule.name, name, rule.name_len);
		*ret = rule;
		return true;
	}
	return false;
}
