// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/client/lacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/walltime.h"

static uint64_t num(const json_t *o, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(o, key));

	return v > 0 ? (uint64_t)v : 0;
}

struct lacks lacks_of(const json_t *answer)
{
	const json_t *o = json_object_get(answer, "storage");
	const char *error = json_string_value(json_object_get(o, "error"));
	struct lacks l = { .missing_ns = num(o, "missing_from_ns"),
			   .lost_records = num(o, "lost_records"),
			   .unsure_from_ns = num(o, "unsure_from_ns"),
			   .unsure_to_ns = num(o, "unsure_to_ns") };

	snprintf(l.error, sizeof(l.error), "%s", error ? error : "");
	return l;
}

static int say_missing(const struct lacks *l, const char *path)
{
	struct clock_offsets offsets = clock_offsets_now();
	char wall[WALLTIME_MAX];

	walltime_text(l->missing_ns, &offsets, 0, wall);
	if (!l->lost_records && !*l->error)
		return cli_error(
			"%s ends at %s: the disk of the daemon's trace does not answer, and later records wait in memory; take another snapshot when 'ctrace status' shows no trouble",
			path, wall);
	return cli_error(
		"%s lacks %" PRIu64
		" records captured since %s: the daemon's trace cannot be written%s%s; make room on its disk, or see the kernel log about the disk",
		path, l->lost_records, wall, *l->error ? ": " : "", l->error);
}

int lacks_say(const struct lacks *l, const char *path)
{
	struct clock_offsets offsets = clock_offsets_now();
	char from[WALLTIME_MAX], to[WALLTIME_MAX];

	if (l->unsure_to_ns)
		cli_warn(
			"%s may lack records from %s to %s: the disk of the daemon's trace reported an error; see the kernel log about it",
			path, walltime_text(l->unsure_from_ns, &offsets, 0, from),
			walltime_text(l->unsure_to_ns, &offsets, 0, to));
	return l->missing_ns ? say_missing(l, path) : CLI_OK;
}
