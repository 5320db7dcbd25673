// SPDX-License-Identifier: GPL-2.0-or-later
/* folded.c - folded stacks: one line for each stack, "frame;frame;frame MICROSECONDS". */
#include "cli/cli.h"
#include "cli/export/export.h"
#include "cli/export/shown.h"
#include "lib/clock.h"

static void put_stack(FILE *f, const struct flame *t, uint32_t node)
{
	uint32_t path[FLAME_DEPTH + 1], n = 0;
	char text[SHOWN_FRAME_MAX];

	for (; node; node = t->nodes.v[node].parent)
		path[n++] = node;
	while (n) {
		shown_frame(t, path[--n], text);
		for (char *s = text; *s; s++)
			if (*s == ';')
				*s = ':';
		fprintf(f, "%s%s", text, n ? ";" : "");
	}
}

int export_folded(const struct export *x)
{
	struct flame t = { 0 };
	uint64_t rest = 0;
	int r = export_flame(x, &t);

	/* Each line has whole microseconds. What is left over, less than a microsecond, is added to
	 * the next line. So the lines add up to the whole time. */
	for (uint32_t i = 1; i < t.nodes.n && !r && !export_stopped(x); i++) {
		uint64_t ns = t.nodes.v[i].self_ns;

		if (!ns)
			continue;
		rest += ns;
		if (rest < NSEC_PER_USEC)
			continue;
		put_stack(x->f, &t, i);
		fprintf(x->f, " %llu\n", rest / NSEC_PER_USEC);
		rest %= NSEC_PER_USEC;
	}
	if (!r)
		shown_limits(&t);
	flame_done(&t);
	return r;
}
