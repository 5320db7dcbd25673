// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope.c - the file format of speedscope (JSON): a sampled profile for each task, with a stack for
 * each wait or run, in order of time. The list of frames comes last, because it is complete only then.
 */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/export/export.h"
#include "cli/export/shown.h"
#include "cli/text.h"

static void put_stack(FILE *f, const struct flame *t, uint32_t node)
{
	uint32_t path[FLAME_DEPTH + 1], n = 0;

	for (; node; node = t->nodes.v[node].parent)
		path[n++] = t->nodes.v[node].frame;
	putc('[', f);
	while (n--)
		fprintf(f, "%u%s", path[n], n ? "," : "");
	putc(']', f);
}

static void put_profile(const struct export *x, struct flame *t, uint32_t task, bool first)
{
	char who[EXPORT_NAME_MAX];
	uint64_t ns = 0;

	fprintf(x->f, "%s\n{\"type\":\"sampled\",\"name\":", first ? "" : ",");
	text_put_json(x->f, export_who(x->g, task, x->to_ns - 1, who));
	fputs(",\"unit\":\"nanoseconds\",\"startValue\":0,\"samples\":[", x->f);
	for (size_t i = 0; i < t->samples.n && !export_stopped(x); i++) {
		fputs(i ? "," : "", x->f);
		put_stack(x->f, t, t->samples.v[i].node);
	}
	fputs("],\"weights\":[", x->f);
	for (size_t i = 0; i < t->samples.n && !export_stopped(x); i++) {
		fprintf(x->f, "%s%" PRIu64, i ? "," : "", t->samples.v[i].ns);
		ns += t->samples.v[i].ns;
	}
	fprintf(x->f, "],\"endValue\":%" PRIu64 "}", ns);
}

static int put_profiles(const struct export *x, struct flame *t)
{
	bool first = true;
	int r = 0;

	for (uint32_t i = 0; i < x->g->n_tasks && !r && !export_stopped(x); i++) {
		if (!x->tasks[i])
			continue;
		t->samples.n = 0;
		r = flame_add(t, x->g, x->kind, i, x->from_ns, x->to_ns);
		if (r || !t->samples.n)
			continue;
		put_profile(x, t, i, first);
		first = false;
	}
	return r;
}

int export_speedscope(const struct export *x)
{
	struct flame t = { 0 };
	int r = flame_init(&t);
	uint32_t i;

	t.keep = true;
	fprintf(x->f,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"ctrace\",\"name\":\"%s\",\"activeProfileIndex\":0,\n\"profiles\":[",
		flame_kind_name(x->kind));
	if (!r)
		r = put_profiles(x, &t);
	fputs("],\n\"shared\":{\"frames\":[", x->f);
	for (i = 0; i < t.frames.v.n && !r && !export_stopped(x); i++) {
		char text[SHOWN_FRAME_MAX];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", x->f);
		text_put_json(x->f, shown_text(t.frames.v.v[i], text));
		putc('}', x->f);
	}
	fputs("]}}\n", x->f);
	shown_limits(&t);
	flame_done(&t);
	return r ? cli_error("out of memory; narrow the window with --from and --to") : CLI_OK;
}
