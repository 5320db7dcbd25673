// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/analysis.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/diagnose/where.h"
#include "cli/cli.h"
#include "cli/render/jobs.h"
#include "report/analysis.h"
#include "report/limit.h"
#include "report/plain.h"
#include "report/shedding.h"
#include "report/view/words.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "report/walltime.h"
#include "trace/words/cmdline.h"
#include "trace/words/describe.h"
#include "trace/words/frame.h"

#define STACK_LINES 12

/* Groups of details, in their order in the answer. keep_lines() decides which lines are dropped first. */
enum { DETAIL_WINDOW, DETAIL_TIME, DETAIL_COMPARISON, DETAIL_CHOICE, DETAIL_LOSSES };

static void print_frame(FILE *f, struct sheet *sheet, const char *text, uint32_t hop)
{
	char frame[DESCRIBE_MAX];

	sheet_next(sheet, frame_is_libc(text) ? LINE_LIBC : LINE_FRAME, hop);
	describe_clean(text, frame, sizeof(frame));
	fprintf(f, "         %s\n", frame);
}

typedef bool (*frame_fn)(const char *frame);

/* Returns which frames of the stack are folded besides those of the kernel: those of libraries, so that the
 * own code of the program is seen. If it has no own code but main(), its work is in libraries. Then only the
 * C library is folded. If there is nothing else either, returns NULL. */
static frame_fn folded_frames(const struct window_stack *s)
{
	frame_fn found = NULL;

	for (int i = 0; i < s->n_frames; i++) {
		const char *f = s->frames[i];

		if (frame_is_own_code(f))
			return frame_is_library;
		if (!frame_is_kernel(f) && !frame_is_rest(f) && !frame_is_address(f) && !frame_is_libc(f))
			found = frame_is_libc;
	}
	return found;
}

static int run_of(const struct window_stack *s, int i, frame_fn is_in)
{
	int n = 0;

	while (is_in && i + n < s->n_frames && is_in(s->frames[i + n]))
		n++;
	return n;
}

static void print_fold(FILE *f, struct sheet *sheet, const char *what, int n, uint32_t hop)
{
	sheet_next(sheet, LINE_FOLD, hop);
	fprintf(f, "         [%s: %d frame%s]\n", what, n, text_s((uint64_t)n));
	sheet->hidden += (size_t)n;
}

/* If frame i and the frames directly after it are of the kernel, or of libraries, and sheet->folds is set,
 * prints one line for them. The library function that the program has called is no part of the line. Returns
 * the number of folded frames, or 0. */
static int fold(FILE *f, struct sheet *sheet, const struct window_stack *s, int i, uint32_t hop)
{
	int n = sheet->folds ? run_of(s, i, frame_is_kernel) : 0;

	if (n) {
		print_fold(f, sheet, "kernel", n, hop);
		return n;
	}
	n = sheet->folds ? run_of(s, i, folded_frames(s)) : 0;
	n -= i + n < s->n_frames && !frame_is_kernel(s->frames[i + n]) && !frame_is_rest(s->frames[i + n]);
	/* one line for one frame would save nothing */
	if (n < 2)
		return 0;
	print_fold(f, sheet, "libraries", n, hop);
	return n;
}

static void print_stack(FILE *f, struct sheet *sheet, const struct graph *g, uint64_t id, uint32_t hop)
{
	const struct window_stack *s = id ? window_stack(g->w, id) : NULL;
	int i = 0, shown = 0;

	while (s && i < s->n_frames && (sheet->how == SHEET_FULL || shown < STACK_LINES)) {
		int folded = fold(f, sheet, s, i, hop);

		i += folded;
		if (folded)
			continue;
		print_frame(f, sheet, s->frames[i++], hop);
		shown++;
	}
	if (!s || i == s->n_frames)
		return;
	sheet_next(sheet, LINE_FRAME, hop);
	fprintf(f, "         ... %d more\n", s->n_frames - i);
	sheet->hidden += (size_t)(s->n_frames - i);
}

static void print_resource(FILE *f, enum resource_kind kind, const char *name)
{
	const char *word = resource_kind_word(kind);

	if (!strncmp(name, word, strlen(word)))
		fprintf(f, "  [%s]", name);
	else
		fprintf(f, "  [%s%s%s]", plain_resource(kind), name[0] ? " " : "", name);
}

/* A task that polls has many waits that its time limit ends. Then this says nothing about a hang. */
static void print_limit(FILE *f, const struct link *k)
{
	struct words t = { 0 };
	_cleanup_free_ char *text = NULL;

	if (k->waits > 1)
		return;
	limit_add(&t, k);
	text = t.n ? words_take(&t) : NULL;
	if (text)
		fprintf(f, "         %s\n", text);
}

#define LINK_CMDLINE 72

static void print_link(FILE *f, struct sheet *sheet, const struct graph *g, const struct diagnosis *d,
		       size_t i)
{
	char comm[64], cmdline[CMDLINE_SHORT_MAX], ns[TEXT_NUMBER_MAX], where[CGROUP_NAME_WORDS_MAX];
	const struct link *k = &d->chain[i];

	/* the victim, the root cause, and the link before the root cause are never dropped */
	sheet_next(sheet, i && i + 2 < d->n_chain ? LINE_MIDDLE : LINE_KEEP, (uint32_t)i);
	describe_clean(k->comm, comm, sizeof(comm));
	fprintf(f, "  %zu. %s%s%s pid %u tid %u%s%s  %s %s", i + 1, cli_sgr(f, "1"), comm, cli_sgr(f, "0"),
		k->pid, k->tid,
		cmdline_short(graph_cmdline(g, k->task, k->to_ns), k->comm, LINK_CMDLINE, cmdline),
		where_words(g, d->chain, d->n_chain, i, NULL, where), link_state_word(k->state),
		k->total_ns ? text_duration(k->total_ns, ns) : "");
	if (k->waits > 1)
		fprintf(f, " in %u waits", k->waits);
	print_resource(f, k->kind, k->resource ? k->resource : "");
	if (i + 1 < d->n_chain)
		fprintf(f, "  -> %s, %s", view_edge_words(k->edge, k->kind),
			render_is_sure(k->edge, k->strength) ? "certain" : "inferred");
	fputc('\n', f);
	print_limit(f, k);
	print_stack(f, sheet, g, k->stack, (uint32_t)i);
}

/* Returns the kind with the most time that is not in the set `shown` (bits 1 << kind). TIME_KINDS: there is
 * none with a share to show. */
static enum time_kind next_time(const struct diagnosis *d, unsigned shown)
{
	uint64_t most_ns = (d->to_ns - d->from_ns) / SHOW_SHARE;
	enum time_kind next = TIME_KINDS;

	for (int i = 0; i < TIME_KINDS; i++)
		if (!(shown >> i & 1) && d->time_ns[i] > most_ns) {
			most_ns = d->time_ns[i];
			next = (enum time_kind)i;
		}
	return next;
}

static void print_time(FILE *f, const struct diagnosis *d)
{
	uint64_t all = d->to_ns - d->from_ns;
	char ns[TEXT_NUMBER_MAX];
	unsigned shown = 0;

	fprintf(f, "Time of the victim (%s):", text_duration(all, ns));
	for (enum time_kind i; (i = next_time(d, shown)) != TIME_KINDS; shown |= 1U << i)
		fprintf(f, "%s %s %s (%.0f %%)", shown ? ";" : "", plain_time(i),
			text_duration(d->time_ns[i], ns), 100.0 * (double)d->time_ns[i] / (double)all);
	fputc('\n', f);
}

static void print_comparison(FILE *f, const struct graph *g, const struct diagnosis *d)
{
	const struct missing_wake *m = d->comparison;
	const struct graph *good = m->good ? m->good : g;
	const struct interval *ref = &good->intervals[m->reference];
	const struct missing_wake_step *named = missing_wake_named(m);
	char comm[64], ns[TEXT_NUMBER_MAX], wall[WALLTIME_MAX];

	describe_clean(graph_comm(good, ref->task, ref->to_ns), comm, sizeof(comm));
	fprintf(f, "Compared with a wait of %s[%u]%s%s at %s (%.0f %% alike, one of %u, usually %s):\n", comm,
		good->tasks[ref->task].tid, m->good ? " in " : "", m->good ? d->against->name : "",
		walltime_text(ref->from_ns, &good->w->offsets, 3, wall), (double)m->similarity * 100,
		m->occurrences, text_duration(m->usual_ns, ns));
	fprintf(f, "  %s%s", m->text, missing_wake_is_sure(m) ? "" : " (inferred)");
	if (named->last_ns)
		fprintf(f, ". The last was at %s", walltime_text(named->last_ns, &g->w->offsets, 3, wall));
	fprintf(f, ".\n");
	if (m->refused)
		fprintf(f, "  %u earlier waits were not looked at.\n", m->refused);
}

static void print_choices(FILE *f, struct sheet *sheet, const struct diagnosis *d)
{
	if (!d->n_choices)
		return;
	sheet_next(sheet, LINE_DETAIL, DETAIL_CHOICE);
	fprintf(f, "Decided on the way:\n");
	for (size_t i = 0; i < d->n_choices; i++) {
		if (i == 1)
			sheet_next(sheet, LINE_CHOICE, 0);
		fprintf(f, "  %s\n", d->choices[i].text);
	}
}

void render_diagnosis(struct sheet *sheet, const struct graph *g, const struct diagnosis *d)
{
	FILE *f = stdout;
	char wall[WALLTIME_MAX], wall2[WALLTIME_MAX];
	struct shedding shed = { 0 };

	fprintf(f, "%s%s%s\n\n", cli_sgr(f, d->verdict == VERDICT_NORMAL ? "1;32" : "1"), d->sentence,
		cli_sgr(f, "0"));
	fprintf(f, "Verdict: %s.", plain_verdict(d->verdict));
	if (plain_cause(d->cause))
		fprintf(f, " Cause: %s.", plain_cause(d->cause));
	fprintf(f, " How sure: %s.\n", plain_confidence(d));
	sheet_next(sheet, LINE_DETAIL, DETAIL_WINDOW);
	fprintf(f, "Window: %s to %s\n", walltime_text(d->from_ns, &g->w->offsets, 3, wall),
		walltime_text(d->to_ns, &g->w->offsets, 3, wall2));
	sheet_next(sheet, LINE_KEEP, 0);
	fprintf(f, "Chain, from the victim to the root cause:\n");
	for (size_t i = 0; i < d->n_chain; i++)
		print_link(f, sheet, g, d, i);
	sheet_next(sheet, LINE_KEEP, 0);
	render_jobs_behind(f, g, d);
	sheet_next(sheet, LINE_DETAIL, DETAIL_TIME);
	print_time(f, d);
	sheet_next(sheet, LINE_DETAIL, DETAIL_COMPARISON);
	if (d->comparison)
		print_comparison(f, g, d);
	if (d->against && d->against->result == AGAINST_NOT_NEEDED)
		fprintf(f,
			"%s was not used: each wait of the chain has a known owner, or earlier waits in the same trace explain it.\n",
			d->against->name);
	print_choices(f, sheet, d);
	sheet_next(sheet, LINE_DETAIL, DETAIL_LOSSES);
	shedding_look(&shed, g->w, d->from_ns, d->to_ns);
	shedding_print(f, "Left out:", &shed);
	if (g->w->lost_records)
		fprintf(f, "Losses: %llu record%s missing in this trace; 'ctrace info' says when.\n",
			(unsigned long long)g->w->lost_records, g->w->lost_records == 1 ? " is" : "s are");
}

static size_t count_same(const struct hangs *h, size_t i)
{
	size_t n = 0;

	for (size_t j = i + 1; j < h->n; j++)
		n += h->v[j].first_row == i;
	return n;
}

/* Returns the width of the largest number of a row. 0: no numbers are shown. */
static int number_width(const struct hangs *h)
{
	uint32_t n = 0;

	for (size_t i = 0; i < h->n && !h->missing; i++)
		n = MAX(n, h->v[i].number);
	return n ? snprintf(NULL, 0, "%" PRIu32, n) : 0;
}

static void print_number(FILE *f, uint32_t number, int width)
{
	/* no blank in front: sheet_end() would shorten the words of the line */
	if (width && number)
		fprintf(f, "%-*" PRIu32 "  ", width, number);
	else if (width)
		fprintf(f, "%-*s  ", width, "-");
}

static void print_hang(FILE *f, const struct graph *g, const struct hangs *h, size_t i, size_t same,
		       int width)
{
	const struct hang *x = &h->v[i];
	char wall[WALLTIME_MAX], ns[TEXT_NUMBER_MAX];

	print_number(f, x->number, width);
	fprintf(f, "%s%s%s %s %8s  %s", cli_sgr(f, x->alarm ? "1;31" : "0"), x->alarm ? "ALARM" : "idle ",
		cli_sgr(f, "0"), walltime_text(x->from_ns, &g->w->offsets, 1, wall),
		text_duration(x->to_ns - x->from_ns, ns), x->diagnosis->sentence);
	if (same)
		fprintf(f, " (%zu more row%s about this hang)", same, text_s(same));
	fputc('\n', f);
}

void render_hangs(FILE *f, const struct graph *g, const struct hangs *h, const struct hangs_shown *how)
{
	size_t hidden = 0, shown = 0, more = 0;
	int width = number_width(h);

	for (size_t k = 0; k < h->n; k++) {
		size_t i = tablearg_row(how->order, k);

		hidden += !how->all && !h->v[i].alarm;
		if (!how->all && !h->v[i].number)
			continue;
		if (how->limit && shown == how->limit) {
			more++;
			continue;
		}
		print_hang(f, g, h, i, how->all ? 0 : count_same(h, i), width);
		shown++;
	}
	if (more)
		fprintf(f, "%zu more row%s: show them with --limit\n", more, text_s(more));
	if (hidden == h->n && !h->missing)
		fprintf(f, "No wait or stall of note.\n");
	if (hidden)
		fprintf(f, "Waits and runs that are no alarms: %zu; --all shows them.\n", hidden);
	if (h->refused)
		fprintf(f,
			"%zu waits and runs were not diagnosed, because they are not among the %d longest.\n",
			h->refused, HANGS_MAX);
	if (h->missing)
		fprintf(f, "interrupted: %zu of %zu candidates were diagnosed; the list is not complete.\n",
			h->n, h->n + h->missing);
}
