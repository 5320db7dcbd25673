// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/crashes/render.h"

#include "cli/cli.h"
#include "cli/render/causal.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "report/plain.h"
#include "report/walltime.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"

static void print_time(FILE *f, const struct crashes *cs, const struct crash *c)
{
	char wall[WALLTIME_MAX];

	fprintf(f, "%s%s%s  ", cli_sgr(f, "1"), walltime_text(c->at_ns, &cs->g->w->offsets, 3, wall),
		cli_sgr(f, "0"));
}

static void print_cmdline(FILE *f, const struct crashes *cs, const struct crash *c)
{
	const char *text = graph_cmdline(cs->g, c->task, c->at_ns);
	char clean[4 * CT_CMDLINE_MAX];

	if (!text[0])
		return;
	describe_clean(text, clean, sizeof(clean));
	fprintf(f, "  Command line: %s\n", clean);
}

static void print_certain(FILE *f, const struct crashes *cs, const struct crash *c)
{
	const struct {
		const char *what;
		bool known;
	} facts[] = {
		{ c->signal                ? "the signal"
		  : c->how == CRASH_THREAD ? "the end of the thread"
					   : "the exit status",
		  c->confirmed },
		{ "the task", c->task_known },
		{ "the stack", c->stack },
		{ "the path", crash_path_certain(cs, c) },
	};

	for (int known = 1; known >= 0; known--) {
		bool any = false;

		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
			if (facts[i].known != known)
				continue;
			fprintf(f, "%s%s",
				any     ? ", "
				: known ? "  Certain: "
					: "  Inferred, or not known: ",
				facts[i].what);
			any = true;
		}
		if (any)
			fputc('\n', f);
	}
}

static void print_stack(FILE *f, const struct crashes *cs, const struct crash *c)
{
	const struct window_stack *s = c->stack ? window_stack(cs->g->w, c->stack) : NULL;
	char text[DESCRIBE_MAX];
	uint16_t n_kernel = 0;

	if (!s) {
		fputs("  Stack: not recorded\n", f);
		return;
	}
	fputs("  Stack, innermost frame first:\n", f);
	while (n_kernel < s->n_frames && frame_is_kernel(s->frames[n_kernel]))
		n_kernel++;
	if (n_kernel)
		fprintf(f, "       [kernel: %u frame%s]\n", n_kernel, text_s(n_kernel));
	for (uint16_t i = n_kernel; i < s->n_frames; i++) {
		describe_clean(s->frames[i], text, sizeof(text));
		fprintf(f, "       %s\n", text);
	}
}

static void print_step(FILE *f, const struct crashes *cs, const struct crash *crash, size_t i)
{
	const struct slice_step *x = &crash->path->steps[i];
	char who[RENDER_WHO_MAX], ns[TEXT_NUMBER_MAX], text[EDGE_EXPLAIN_MAX];
	const struct causal *c = cs->c;

	fprintf(f, "  %4zu. %s%s%s", i + 1, cli_sgr(f, "1"), render_who(c, x->segment, who), cli_sgr(f, "0"));
	if (i && x->at_ns < crash->at_ns)
		fprintf(f, ", %s before", text_duration(crash->at_ns - x->at_ns, ns));
	fputc('\n', f);
	if (x->edge == GRAPH_NONE)
		return;
	edge_explain(c, &c->edges[x->edge], text, sizeof(text));
	fprintf(f, "        %s (%s)\n", text, plain_strength((enum edge_strength)c->edges[x->edge].strength));
}

static void print_end(FILE *f, const struct crashes *cs, const struct slice *s)
{
	switch (s->end) {
	case SLICE_END_OUTSIDE:
		fprintf(f, "  The work begins with %s.\n",
			s->end_edge == GRAPH_NONE ? "something outside"
						  : render_outside(&cs->c->edges[s->end_edge]));
		break;
	case SLICE_END_LIMIT:
		fprintf(f, "  The path was not followed further: %d steps is the limit.\n", CRASH_STEPS_MAX);
		break;
	case SLICE_END_STOPPED:
		break; /* at the task that started the process */
	case SLICE_END_ROOT:
	case SLICE_END_REFUSED:
	case SLICE_END_DONE:
		fputs("  The work begins there: no recorded event led to it.\n", f);
		break;
	}
}

static void print_path(FILE *f, const struct crashes *cs, const struct crash *c)
{
	if (!c->path) {
		fputs("  Path: the trace does not show the work of this task\n", f);
		return;
	}
	fputs("  Path, from the crash back to its origin:\n", f);
	for (size_t i = 0; i < c->path->n_steps && !cli_output_broken(); i++)
		print_step(f, cs, c, i);
	print_end(f, cs, c->path);
}

static void print_crash(FILE *f, const struct crashes *cs, const struct crash *c)
{
	print_time(f, cs, c);
	fprintf(f, "%s\n", c->text);
	print_cmdline(f, cs, c);
	if (c->end_ns == UINT64_MAX)
		fputs("  The end of the process is not in the trace.\n", f);
	if (c->dumped)
		fputs("  The kernel wrote a core dump.\n", f);
	print_certain(f, cs, c);
	print_stack(f, cs, c);
	print_path(f, cs, c);
}

/* Prints the rows of one list, and how many more there are. */
static void print_list(FILE *f, const struct crashes *cs, enum crash_how how,
		       const struct crashes_shown *shown)
{
	size_t n = 0, most = shown->limit ? shown->limit : SIZE_MAX;

	for (size_t i = 0; i < cs->n && n < most && !cli_output_broken(); i++) {
		const struct crash *c = &cs->v[tablearg_row(shown->order, i)];

		if (c->how != how)
			continue;
		if (crash_has_path(how)) {
			fputs(n ? "\n" : "", f);
			print_crash(f, cs, c);
		} else {
			fputs("  ", f);
			print_time(f, cs, c);
			fprintf(f, "%s\n", c->text);
		}
		n++;
	}
	if (cs->count[how] > n)
		fprintf(f, "%s%zu more: show them with --limit\n", crash_has_path(how) ? "\n" : "  ",
			cs->count[how] - n);
}

void render_crashes(FILE *f, const struct crashes *cs, const struct crashes_shown *shown)
{
	size_t statuses = cs->count[CRASH_STATUS];

	if (!cs->count[CRASH_SIGNAL])
		fputs("No process crashed.\n", f);
	print_list(f, cs, CRASH_SIGNAL, shown);
	if (cs->count[CRASH_EXCEPTION]) {
		fputs("\nEnded after an uncaught exception or a fatal error:\n", f);
		print_list(f, cs, CRASH_EXCEPTION, shown);
	}
	if (cs->count[CRASH_THREAD]) {
		fputs("\nThreads that ended after an uncaught exception; their processes did not end with them:\n",
		      f);
		print_list(f, cs, CRASH_THREAD, shown);
	}
	if (cs->count[CRASH_KILLED]) {
		fputs("\nEnded by a signal, but not crashed:\n", f);
		print_list(f, cs, CRASH_KILLED, shown);
	}
	if (statuses && shown->all) {
		fputs("\nEnded with an exit status other than 0. An uncaught exception of Python or Java ends like this, but so\n"
		      "do ordinary failures. Only a framework such as python or java shows the difference: see ctrace-crashes(1).\n",
		      f);
		print_list(f, cs, CRASH_STATUS, shown);
	} else if (statuses) {
		fprintf(f,
			"\n%zu process%s ended with an exit status other than 0, perhaps after an uncaught exception; --all lists %s.\n",
			statuses, statuses > 1 ? "es" : "", statuses > 1 ? "them" : "it");
	}
	if (cs->refused)
		fprintf(f, "\n%zu more are not listed; narrow the window with --from and --to.\n",
			cs->refused);
	if (cs->lossy)
		fputs("\nRecords are missing in this window, so crashes may be missing too; 'ctrace info' shows the gaps.\n",
		      f);
}
