// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/render/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/shedding.h"
#include "report/cgroup_name.h"
#include "cli/tablearg.h"
#include "cli/text.h"
#include "cli/thresholds.h"
#include "lib/cleanup.h"
#include "lib/vec.h"
#include "report/walltime.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

#define ROWS_SHOWN 6
#define RUNS_SHOWN 20

#define WHO_MAX 160

static const char *who(const struct path_view *v, uint32_t task, uint64_t ts_ns, char buf[WHO_MAX])
{
	struct cgroup_name p = graph_place(v->g, task, ts_ns);
	char comm[64], at[CGROUP_NAME_MAX + 1];

	describe_clean(graph_comm(v->g, task, ts_ns), comm, sizeof(comm));
	snprintf(buf, WHO_MAX, "%s[%u]%s", comm, v->g->tasks[task].tid, render_at(&p, at));
	return buf;
}

/* Names the task that held the victim up for at least half of the time. Names no task if this task
 * is the victim itself, or if say_headline() has named it already. */
static void say_end(const struct path_view *v, FILE *f)
{
	const struct account_row *first = &v->account->rows[ACCOUNT_WAIT][0];
	const struct account_row *last = &v->account->rows[ACCOUNT_TASK][0];
	char name[WHO_MAX], ns[TEXT_NUMBER_MAX];

	if (first->task == GRAPH_NONE || last->task == first->task || last->task == v->path->frames[0].task ||
	    last->ns < v->account->total_ns / 2)
		return;
	fprintf(f, " It came down to %s, for %s.", who(v, last->task, v->to_ns, name),
		text_duration(last->ns, ns));
}

static void say_rival(const struct path_view *v, FILE *f)
{
	char name[WHO_MAX], ns[TEXT_NUMBER_MAX];

	for (size_t i = 0; i < v->account->n_rows[ACCOUNT_RESOURCE]; i++) {
		const struct account_row *r = &v->account->rows[ACCOUNT_RESOURCE][i];

		if (r->time != TIME_RUNNABLE || r->task == GRAPH_NONE)
			continue;
		fprintf(f, " (for %s %s had it)", text_duration(r->ns, ns), who(v, r->task, v->to_ns, name));
		return;
	}
}

static void say_better(const struct path_view *v, FILE *f)
{
	char words[ACCOUNT_WORDS_MAX], ns[TEXT_NUMBER_MAX];

	if (!v->n_table ||
	    v->table[0].saved_ns < 2 * v->headline.saved_ns + v->account->total_ns / SHOW_BETTER_SHARE)
		return;
	whatif_words(v->whatif, &v->table[0].without, words, sizeof(words));
	fprintf(f, "; but without %s %s shorter", words, text_duration(v->table[0].saved_ns, ns));
}

static void say_headline(const struct path_view *v, FILE *f)
{
	const struct account_row *r = &v->account->rows[ACCOUNT_WAIT][0];
	char words[ACCOUNT_WORDS_MAX], all[TEXT_NUMBER_MAX], ns[TEXT_NUMBER_MAX];
	const char *that = r->kind == RESOURCE_NONE ? "that" : r->count > 1 ? "those waits" : "that wait";
	uint64_t saved = v->headline.saved_ns;

	account_words(v->g, ACCOUNT_WAIT, r, words, sizeof(words));
	fprintf(f, "%s: %s of it %s", text_duration(v->account->total_ns, all), text_duration(r->ns, ns),
		words);
	if (r->time == TIME_RUNNABLE)
		say_rival(v, f);
	if (r->kind == RESOURCE_NONE && r->time != TIME_RUNNABLE)
		fputc('.', f);
	else if (!saved)
		fprintf(f, "; without %s it would have taken as long", that);
	else
		fprintf(f, "; without %s it would have been %s%s shorter", that,
			saved < r->ns / 2 ? "only " : "", text_duration(saved, ns));
	if (r->kind != RESOURCE_NONE || r->time == TIME_RUNNABLE) {
		say_better(v, f);
		fputc('.', f);
	}
	say_end(v, f);
}

void render_path_headline(const struct path_view *v, char buf[PATH_HEADLINE_MAX])
{
	_cleanup_fclose_ FILE *f = fmemopen(buf, PATH_HEADLINE_MAX, "w");

	buf[0] = 0;
	if (f)
		say_headline(v, f);
}

static void print_share(FILE *f, const struct path_view *v, uint64_t ns)
{
	char text[TEXT_NUMBER_MAX];

	fprintf(f, "  %10s %5.1f %%  ", text_duration(ns, text),
		100.0 * (double)ns / (double)v->account->total_ns);
}

static bool negligible(const struct path_view *v, uint64_t ns)
{
	return ns < v->account->total_ns / SHOW_SHARE;
}

static void print_group(FILE *f, const struct path_view *v, enum account_group group, const char *title)
{
	const struct account_row *rows = v->account->rows[group];
	size_t n = v->account->n_rows[group], i;
	char words[ACCOUNT_WORDS_MAX];
	uint64_t rest = 0;

	fprintf(f, "%s%s%s\n", cli_sgr(f, "1"), title, cli_sgr(f, "0"));
	for (i = 0; i < n && (i < ROWS_SHOWN - 1 || n == ROWS_SHOWN) && !negligible(v, rows[i].ns); i++) {
		print_share(f, v, rows[i].ns);
		account_words(v->g, group, &rows[i], words, sizeof(words));
		fputs(words, f);
		if (group == ACCOUNT_WAIT && rows[i].kind != RESOURCE_NONE && rows[i].count > 1)
			fprintf(f, ", %u times", rows[i].count);
		fputc('\n', f);
	}
	n -= i;
	for (size_t k = 0; k < n; k++)
		rest += rows[i + k].ns;
	if (!rest)
		return;
	print_share(f, v, rest);
	fprintf(f, "%zu other%s\n", n, n > 1 ? "s" : "");
}

void render_path_shares(FILE *f, const struct path_view *v, const char *title)
{
	print_group(f, v, ACCOUNT_RESOURCE, title);
}

/* Returns true if each process has one task. Then the table of the tasks and the table of the
 * processes say the same. */
static bool tasks_are_processes(const struct path_view *v)
{
	return v->account->n_rows[ACCOUNT_TASK] == v->account->n_rows[ACCOUNT_PROCESS];
}

static void print_table(FILE *f, const struct path_view *v)
{
	char words[ACCOUNT_WORDS_MAX], saved[TEXT_NUMBER_MAX], on[TEXT_NUMBER_MAX];

	if (!v->n_table)
		return;
	fprintf(f, "\n%sWhat if: without this, it would have been shorter by%s\n", cli_sgr(f, "1"),
		cli_sgr(f, "0"));
	fprintf(f, "  %10s  %10s\n", "shorter", "of the path");
	for (size_t i = 0; i < v->n_table; i++) {
		if (negligible(v, v->table[i].saved_ns) && negligible(v, v->table[i].path_ns))
			continue;
		whatif_words(v->whatif, &v->table[i].without, words, sizeof(words));
		fprintf(f, "  %10s  %10s   %s\n", text_duration(v->table[i].saved_ns, saved),
			text_duration(v->table[i].path_ns, on), words);
	}
}

static void print_answer(FILE *f, const struct path_view *v)
{
	char words[ACCOUNT_WORDS_MAX], all[TEXT_NUMBER_MAX], saved[TEXT_NUMBER_MAX], on[TEXT_NUMBER_MAX];
	uint64_t ns = v->account->total_ns;

	if (v->answer.saved_ns)
		fprintf(f, "%s%s shorter:%s %s instead of ", cli_sgr(f, "1"),
			text_duration(v->answer.saved_ns, saved), cli_sgr(f, "0"),
			text_duration(ns - v->answer.saved_ns, on));
	else
		fprintf(f, "%sNot shorter:%s ", cli_sgr(f, "1"), cli_sgr(f, "0"));
	fprintf(f, "%s, without\n", text_duration(ns, all));
	for (size_t i = 0; i < v->n_without; i++) {
		whatif_words(v->whatif, &v->without[i], words, sizeof(words));
		fprintf(f, "  %s", words);
		if (v->without[i].kind == WHATIF_WAIT) {
			const struct interval *s = &v->g->intervals[v->without[i].interval];
			char wall[WALLTIME_MAX];

			fprintf(f, ", for %s since %s", text_duration(s->to_ns - s->from_ns, saved),
				walltime_text(s->from_ns, &v->g->w->offsets, 3, wall));
		}
		fputc('\n', f);
	}
	fprintf(f, "which is %s of the critical path.\n", text_duration(v->answer.path_ns, on));
}

/* Examples: "running", "timer", "lock (futex 0x1000)". */
static void print_state(FILE *f, const struct path_view *v, const struct path_piece *x)
{
	const struct blame *b = x->blame == GRAPH_NONE ? NULL : &v->path->leaf_blames[x->blame];
	bool gone = x->interval == GRAPH_NONE &&
		    v->g->tasks[v->path->frames[x->frame].task].exit_ns <= x->from_ns;
	const char *time = gone ? "gone" : time_kind_name((enum time_kind)x->time);
	const char *kind = b ? resource_kind_word(b->kind) : "";
	char name[DESCRIBE_MAX] = "";

	if (b)
		describe_object(v->g->w, b->obj, name, sizeof(name));
	fprintf(f, " %s", time);
	if (b && strcmp(kind, time) != 0 && b->kind != RESOURCE_UNKNOWN &&
	    strncmp(name, kind, strlen(kind)) != 0)
		fprintf(f, " %s", kind);
	if (name[0])
		fprintf(f, " (%s)", name);
	if (x->cycle)
		fprintf(f, ", a circle of waits");
}

static const char *reason(const struct path_frame *f)
{
	return f->depth ? edge_kind_name(f->blame.edge) : "itself";
}

/* Pieces that are shown as one line: the same task in the same state, for the same object.
 * Negligible other pieces in between belong to the run too. */
struct run {
	size_t first, end;
	size_t same; /* number of pieces that are like the first piece */
	uint64_t same_ns;
};
typedef VEC(struct run) runs;

static bool alike(const struct path *p, const struct path_piece *a, const struct path_piece *b)
{
	const struct path_frame *f = &p->frames[a->frame], *g = &p->frames[b->frame];
	uint64_t x = a->blame == GRAPH_NONE ? 0 : p->leaf_blames[a->blame].obj;
	uint64_t y = b->blame == GRAPH_NONE ? 0 : p->leaf_blames[b->blame].obj;

	return f->task == g->task && f->depth == g->depth && f->blame.edge == g->blame.edge &&
	       a->time == b->time && a->cycle == b->cycle && x == y;
}

struct run_list {
	const struct path_view *v;
	const runs *rs;
};

static int find_runs(const struct path_view *v, runs *ret)
{
	for (size_t i = 0; i < v->path->n_pieces; i++) {
		const struct path_piece *x = &v->path->pieces[i];
		struct run *last = ret->n ? &ret->v[ret->n - 1] : NULL;
		bool same = last && alike(v->path, x, &v->path->pieces[last->first]);

		if (v->all || !last || (!same && !negligible(v, x->to_ns - x->from_ns))) {
			if (VEC_PUSH(ret, (struct run){ .first = i }))
				return -ENOMEM;
			last = &ret->v[ret->n - 1];
			same = true;
		}
		last->end = i + 1;
		last->same += same;
		last->same_ns += same ? x->to_ns - x->from_ns : 0;
	}
	return 0;
}

static uint64_t run_ns(const struct path_view *v, const struct run *r)
{
	return v->path->pieces[r->end - 1].to_ns - v->path->pieces[r->first].from_ns;
}

static void print_sums(FILE *f, const struct path_view *v, const struct run *r)
{
	uint64_t ran_ns = 0, queued_ns = 0, switches = 0;
	struct interval_sums sums;

	for (size_t i = r->first; i < r->end; i++) {
		const struct path_piece *x = &v->path->pieces[i];

		if (!alike(v->path, x, &v->path->pieces[r->first]))
			continue;
		interval_sums(&v->g->intervals[x->interval], x->from_ns, x->to_ns, &sums);
		ran_ns += sums.ran_ns;
		queued_ns += sums.queued_ns;
		switches += sums.switches;
	}
	fprintf(f, " ran %.0f %%", 100.0 * (double)ran_ns / (double)r->same_ns);
	if (queued_ns)
		fprintf(f, ", waited for a CPU %.0f %%", 100.0 * (double)queued_ns / (double)r->same_ns);
	fprintf(f, ", short waits, %" PRIu64 " switch%s", switches, switches == 1 ? "" : "es");
}

static void print_run(FILE *f, const struct path_view *v, const struct run *r)
{
	const struct path_piece *x = &v->path->pieces[r->first];
	const struct path_frame *fr = &v->path->frames[x->frame];
	char ns[TEXT_NUMBER_MAX], name[WHO_MAX];

	fprintf(f, "%14.3f %10s  %-11s  %*s%s", (double)(x->from_ns - v->from_ns) / 1e6,
		text_duration(run_ns(v, r), ns), reason(fr), (int)fr->depth * 2, "",
		who(v, fr->task, x->from_ns, name));
	if (x->time == TIME_SHORT)
		print_sums(f, v, r);
	else
		print_state(f, v, x);
	if (r->end - r->first > r->same)
		fprintf(f, ", %s of it", text_duration(r->same_ns, ns));
	if (r->same > 1)
		fprintf(f, ", in %zu pieces", r->same);
	fputc('\n', f);
}

static void print_fold(FILE *f, size_t n, uint64_t ns)
{
	char text[TEXT_NUMBER_MAX];

	if (n)
		fprintf(f, "%14s %10s  %zu piece%s\n", "...", text_duration(ns, text), n, n > 1 ? "s" : "");
}

static struct tablearg_key run_key(const void *arg, size_t i, unsigned column)
{
	const struct run_list *l = arg;

	(void)column;
	return (struct tablearg_key){ .number = run_ns(l->v, &l->rs->v[i]) };
}

/* print_run() describes the first piece, so a run with mostly other pieces is folded. */
static bool is_plain(const struct path_view *v, const struct run *r)
{
	return r->same_ns >= run_ns(v, r) / 2;
}

/* Sets shown[i] for the longest runs. order: of the runs, the longest first. */
static void choose_runs(const struct run_list *l, const uint32_t *order, bool *shown)
{
	size_t limit = l->v->all ? SIZE_MAX : l->v->limit ? l->v->limit : RUNS_SHOWN;

	for (size_t k = 0; k < l->rs->n && k < limit; k++)
		shown[order[k]] = is_plain(l->v, &l->rs->v[order[k]]);
}

static size_t print_by_time(FILE *f, const struct run_list *l, const bool *chosen)
{
	uint64_t folded_ns = 0;
	size_t folded = 0, shown = 0;

	for (size_t i = 0; i < l->rs->n && !cli_output_broken(); i++) {
		const struct run *r = &l->rs->v[i];

		if (!chosen[i]) {
			folded += r->end - r->first;
			folded_ns += run_ns(l->v, r);
			continue;
		}
		print_fold(f, folded, folded_ns);
		folded = folded_ns = 0;
		print_run(f, l->v, r);
		shown++;
	}
	print_fold(f, folded, folded_ns);
	return shown;
}

static size_t print_by_length(FILE *f, const struct run_list *l, const uint32_t *order, const bool *chosen)
{
	uint64_t folded_ns = 0;
	size_t folded = 0, shown = 0;

	for (size_t k = 0; k < l->rs->n && !cli_output_broken(); k++) {
		const struct run *r = &l->rs->v[order[k]];

		if (chosen[order[k]]) {
			print_run(f, l->v, r);
			shown++;
			continue;
		}
		folded += r->end - r->first;
		folded_ns += run_ns(l->v, r);
	}
	print_fold(f, folded, folded_ns);
	return shown;
}

static void print_runs(FILE *f, const struct run_list *l)
{
	_cleanup_free_ bool *chosen = calloc(l->rs->n + 1, sizeof(*chosen));
	_cleanup_free_ uint32_t *order = NULL;
	size_t shown;

	if (!chosen)
		(void)cli_error("out of memory");
	if (!chosen || tablearg_order(1, l->rs->n, run_key, l, &order))
		return;
	choose_runs(l, order, chosen);
	shown = l->v->by_length ? print_by_length(f, l, order, chosen) : print_by_time(f, l, chosen);
	if (shown < l->v->path->n_pieces)
		fprintf(f, "--all lists all pieces.\n");
}

static void print_pieces(FILE *f, const struct path_view *v)
{
	char ns[TEXT_NUMBER_MAX];
	runs rs = { 0 };

	fprintf(f, "%sThe path%s, %zu piece%s, %s in all%s\n", cli_sgr(f, "1"), cli_sgr(f, "0"),
		v->path->n_pieces, text_s(v->path->n_pieces), text_duration(v->to_ns - v->from_ns, ns),
		v->path->truncated ? "; too many to follow every wait" : "");
	fprintf(f, "%14s %10s  %-11s  %s\n", "from (ms)", "length", "by", "who, what");
	if (find_runs(v, &rs))
		cli_error("the pieces are not listed: out of memory; narrow the window with --from and --to");
	else
		print_runs(f, &(struct run_list){ v, &rs });
	VEC_FREE(&rs);
}

void render_path(FILE *f, const struct path_view *v)
{
	char headline[PATH_HEADLINE_MAX], wall[WALLTIME_MAX], wall2[WALLTIME_MAX], name[WHO_MAX];
	struct shedding shed = { 0 };

	if (v->n_without) {
		print_answer(f, v);
		return;
	}
	render_path_headline(v, headline);
	fprintf(f, "%s%s%s\n", cli_sgr(f, "1"), headline, cli_sgr(f, "0"));
	fprintf(f, "%s, %s to %s\n\n", who(v, v->path->frames[0].task, v->to_ns, name),
		walltime_text(v->from_ns, &v->g->w->offsets, 3, wall),
		walltime_text(v->to_ns, &v->g->w->offsets, 3, wall2));
	print_group(f, v, ACCOUNT_WAIT, "The task itself was");
	print_group(f, v, ACCOUNT_RESOURCE, "Which came down to");
	if (!tasks_are_processes(v))
		print_group(f, v, ACCOUNT_TASK, "By task");
	print_group(f, v, ACCOUNT_PROCESS, "By process");
	print_group(f, v, ACCOUNT_OBJECT,
		    "By object: that of the last wait on the way from the task to the cause");
	print_table(f, v);
	fputc('\n', f);
	print_pieces(f, v);
	shedding_look(&shed, v->g->w, v->from_ns, v->to_ns);
	shedding_print(f, "Left out:", &shed);
	if (v->g->w->lost_records)
		fprintf(f, "Losses: %llu record%s missing in this trace; 'ctrace info' says when.\n",
			(unsigned long long)v->g->w->lost_records,
			v->g->w->lost_records == 1 ? " is" : "s are");
}
