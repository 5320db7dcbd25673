// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/most.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"

static uint64_t num(const json_t *o, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(o, key));
}

void most_print(const json_t *status)
{
	const json_t *g = json_object_get(status, "governor"), *m = json_object_get(g, "most");
	const char *step = json_string_value(json_object_get(g, "step")),
		   *name = json_string_value(json_object_get(m, "name"));
	double share = json_number_value(json_object_get(m, "share_percent")),
	       budget = json_number_value(json_object_get(g, "budget_percent"));
	uint64_t at_ns = num(m, "at_ns"), now_ns = num(status, "now_ns"),
		 ago_ns = now_ns - MIN(at_ns, now_ns);
	bool user = json_object_get(m, "user"), old = ago_ns >= SHOW_MOST_NS;
	char d[TEXT_NUMBER_MAX];

	if (!m)
		return;
	if (json_object_get(m, "tid"))
		printf("%-10s task %s[%" PRIu64 "] %s", "Most:", name ? name : "?", num(m, "tid"),
		       old ? "made" : "makes");
	else
		printf("%-10s the tasks of %s %" PRIu64 " %s", "Most:", user ? "user" : "control group",
		       num(m, user ? "user" : "cgroup"), old ? "made" : "make");
	printf(" %.0f %% of the records", share);
	if (old)
		printf(" %s ago, when they were last counted", text_duration(ago_ns, d));
	if (step && strcmp(step, "none") && budget > 0)
		printf("; a larger budget records more of them ('ctrace budget %.3g%%')",
		       MIN(budget * SHOW_BUDGET_TIMES, 100.0));
	puts("");
}
