// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/service/service_mark.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "trace/words/markname.h"

static const char *read_mark(json_t *body, struct mark *ret)
{
	static const char *const whats[] = {
		[CT_MARK_POINT] = "point", [CT_MARK_BEGIN] = "begin", [CT_MARK_END] = "end"
	};
	const json_t *id = json_object_get(body, "id"), *made = json_object_get(body, "made_ns");
	const char *what = json_string_value(json_object_get(body, "what"));
	size_t i = 0;

	ret->name = json_string_value(json_object_get(body, "name"));
	ret->id = json_string_value(id);
	if (!ret->name || !markname_ok(ret->name))
		return "The name of a mark must have " MARKNAME_RULE ".";
	while (what && i < ARRAY_SIZE(whats) && strcmp(whats[i], what) != 0)
		i++;
	if (!what || i == ARRAY_SIZE(whats))
		return "A mark needs a \"what\": point, begin or end.";
	if (id && (!ret->id || !*ret->id || strlen(ret->id) > CT_MARK_NAME_MAX))
		return "The id of a mark must be a text of 1 to 48 bytes.";
	if (json_is_true(json_object_get(body, "parent")))
		ret->flags |= CT_MF_PARENT;
	if (json_integer_value(made) > 0)
		ret->made_ns = (uint64_t)json_integer_value(made);
	ret->what = (enum ct_mark)i;
	return NULL;
}

static const char *why_not(int r)
{
	if (r == -EBUSY)
		return "There were too many marks in this second; mark fewer things.";
	if (r == -ENOSPC)
		return "There are too many different names of marks; use an id in place of more names.";
	return SERVICE_TOO_MUCH;
}

void service_mark(struct service *s, uint64_t client, json_t *body)
{
	uint64_t now_ns = clock_boot_ns();
	struct mark mark = { .made_ns = now_ns, .tid = (uint32_t)control_pid(s->control, client) };
	const char *wrong = read_mark(body, &mark);
	void *data = NULL;
	size_t size = 0;
	int r;

	if (!wrong && !mark.tid)
		wrong = "The daemon cannot see your process: it is in another pid namespace.";
	if (wrong) {
		s->marks.refused++;
		control_refuse(s->control, client, "%s", wrong);
		return;
	}
	r = marks_take(&s->marks, &mark, now_ns, &data, &size);
	if (r) {
		control_refuse(s->control, client, "%s", why_not(r));
		return;
	}
	drain_post(s->drain, data, size);
	control_answer(s->control, client, json_pack("{s:b}", "ok", 1));
}
