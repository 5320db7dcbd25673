// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis_cases - runs the cases in *.txt (test/unit/text/text_cases.h). A case has a trace, and questions
 * to the code of analysis/ about this trace. A and B are tasks: tids or names. A.N is segment N of task A.
 * The questions:
 *
 *   => diagnose A FROM..TO    verdict, cause, confidence; the chain, one task a line; the choices;
 *                             the command `ctrace watch`, if there is one; the missing wake-up, if the
 *                             comparison of a wait found one ("compared:"). If the case has a line
 *                             "against SCENE": also the result of the comparison with that scene
 *                             ("against:"). The sentence ("says:") is printed if the case has such a
 *                             line, or if the question has a rule or the word answers=
 *   => sentence A FROM..TO    the sentence of the diagnosis
 *   => asked A FROM..TO       the verdict, cause and sentence, as if a person had chosen FROM..TO
 *   => doubts A FROM..TO      the links that wait for each other, and why the confidence is weak
 *   => waits A FROM..TO       for each link: how many waits it has, and how long the longest one lasted
 *   => times A FROM..TO       the fields of `time` of the diagnosis
 *   => flag A FROM..TO        the variable that the task polls, and its writer
 *   => missing A TIME         the missing wake-up of the task's wait at that time
 *   => hangs [worst] [at FROM..TO]
 *                             the list of hangs of the window, one numbered row a line; worst: the
 *                             search may end when the first row is decided; at: only rows that overlap
 *                             this time
 *   => hang-ends A SINCE..FOUND [looped]
 *                             the end of a hang that began at SINCE and was noticed at FOUND;
 *                             looped: the task is an event loop
 *   => account A FROM..TO GROUP
 *                             the time of the critical path for each GROUP; GROUP: wait, resource,
 *                             task, process or object
 *   => saved A FROM..TO WHAT [+ WHAT] [/ WHAT ...]
 *                             how much shorter the range would be without WHAT: task A, process A,
 *                             object OBJECT, resource KIND, wait A TIME, waits A TIME or nothing
 *   => services [touching FROM..TO]      the services and their figures; each reason with its share
 *                                        of the usual and of the slow requests, in per cent; touching:
 *                                        of the requests that overlap this time
 *   => queues                            the queues of jobs, and why jobs wait
 *   => lengths                           the lengths of the queues over time: part:most:mean
 *   => pools                             the pools of threads without a framework
 *   => unprobed FROM..TO                 when jobs were not recorded, as far as these times have a part
 *                                        in FROM..TO
 *   => behind A FROM..TO                 the queues that are behind the wait of the diagnosis
 *   => transactions [touching FROM..TO] [mark=PATTERN] [until=PATTERN] [program=] [cmdline=] [service=]
 * [address=] [queue=] [input=] [timer=] [name=]  the transactions by one rule with these fields, or by the
 *                                        default rules if there is no field. Shares in per cent
 *   => inputs                            the presses of keys and buttons, and the last update of the
 *                                        display that each of them caused
 *   => profile A FROM..TO     the parts of the time, each with its class and count
 *   => wakes A FROM..TO       how often a task woke after the waits of each part, and how long it then
 *                             waited for a CPU because of the environment
 *   => keys A FROM..TO        the key and the detail of each part (analysis/profile/part.h)
 *   => delta A FROM..TO A FROM..TO       the second range compared with the first one
 *   => command                the recorded command, and its time
 *   => patterns A            the kind and number of the transactions of A's process; each pattern
 *                             with its count in each transaction ("+": it grows), and its time
 *   => events A               the events of A's process, of which its patterns are made
 *   => lanes A FROM..TO       the lanes of the picture of A's diagnosis
 *   => spans A FROM..TO B     the spans of B's lane in this picture, with the tasks to blame
 *   => stretches A FROM..TO   the times with missing records, and what is missing
 *   => flame KIND A FROM..TO  the time by stack (analysis/flame/flame.h); "<-" stands before the task
 *                             to blame
 *   => parts N                           where the time of request N went
 *   => crashes                the processes that ended badly, and the path that led to each crash
 *   => slice A TIME [way] [forward] [beam=N] [max=N]
 *                             the walk along edges, one segment a line, and the choices; way: only
 *                             the segments
 *
 * Diagnose and slice also take
 *
 *   not=TASK                             rule: TASK is not the cause
 *   cause=TASK                           rule: TASK is the cause
 *   not-edge=KIND                        rule: no edge of this kind is the cause
 *   answers=0,decide,stop,none           the answers of a person, in this order; later answers are "decide"
 *   keep                                 the answers become rules
 *   again                                a second run, with the rules of the first one and without answers
 *
 * A slice walks along the causal graph of the trace. If the case has lines of the two forms below, the slice
 * walks along the graph that these lines describe. The segments are in the order of task and time:
 *
 *   segment A FROM..TO [cut=first]
 *   edge KIND STRENGTH A.N TIME -> B.N TIME [OBJECT] [flags=false-wake,many]
 *                                        "outside" in place of A.N: no task has caused it
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "analysis/contention/flag.h"
#include "analysis/compare/missing_wake_find.h"
#include "analysis/hangs/hangs.h"
#include "analysis/jobs/behind.h"
#include "analysis/whatif/whatif.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static bool next_span(const struct question *q, const struct graph *g, uint32_t *ret_task, uint64_t *ret_from,
		      uint64_t *ret_to)
{
	*ret_task = question_task(q, g, q->w->to_ns);
	text_range(q->l, text_line_next(q->l, "a range"), ret_from, ret_to);
	return !q->l->error[0];
}

static void free_diagnosis(struct diagnosis **d)
{
	diagnosis_free(*d);
}

static struct diagnosis *diagnosis_with(const struct graph *g, const struct graph *good,
					const char *good_name, uint32_t task, uint64_t from, uint64_t to,
					struct asking *a)
{
	struct ask ask = { asking_choose, a };
	struct diagnose_options o = {
		.rules = &a->rules, .ask = a->person ? &ask : NULL, .good = good, .good_name = good_name
	};
	struct diagnosis *d;
	uint64_t sum = 0;

	assert_int_equal(diagnose(g, task, from, to, a->person || good || a->rules.v.n ? &o : NULL, &d), 0);
	for (int i = 0; i < TIME_KINDS; i++)
		sum += d->time_ns[i];
	assert_int_equal(sum, to - from);
	return d;
}

static struct diagnosis *diagnosis_of(const struct question *q, const struct graph *g)
{
	struct asking nobody = { 0 };
	uint64_t from, to;
	uint32_t task;

	return next_span(q, g, &task, &from, &to) ? diagnosis_with(g, NULL, NULL, task, from, to, &nobody)
						  : NULL;
}

static void put_link(const struct question *q, const struct link *k)
{
	fprintf(q->out, "%s[%u] %s ", k->comm, k->tid, link_state_word(k->state));
	question_put_time(q, k->total_ns);
	fprintf(q->out, " %s", resource_kind_word(k->kind));
	if (*k->resource)
		fprintf(q->out, " (%s)", k->resource);
	fprintf(q->out, "%s%s", k->killed ? " killed" : "", k->unfinished ? " unfinished" : "");
	if (k->stack)
		fprintf(q->out, " stack %u", (unsigned)k->stack);
	if (k->edge)
		fprintf(q->out, " -> %s %s", edge_kind_name(k->edge), edge_strength_name(k->strength));
	fputc('\n', q->out);
}

static void put_diagnosis(const struct question *q, const struct diagnosis *d)
{
	fprintf(q->out, "%s %s%s\n", verdict_name(d->verdict), cause_word(d->cause),
		d->strong ? "" : " perhaps");
	for (size_t i = 0; i < d->n_chain; i++)
		put_link(q, &d->chain[i]);
	for (size_t i = 0; i < d->n_choices; i++)
		fprintf(q->out, "choice: %s\n", d->choices[i].text);
	if (d->watch)
		fprintf(q->out, "watch: %s\n", d->watch);
	if (d->comparison)
		fprintf(q->out, "compared: %s\n", d->comparison->text);
	if (d->against)
		fprintf(q->out, "against: %s\n", against_word(d->against->result));
}

static void ask_diagnose(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q), *good = NULL;
	_cleanup_(asking_done) struct asking a = { 0 };
	uint64_t from, to;
	uint32_t task;

	if (!next_span(q, g, &task, &from, &to))
		return;
	if (q->good)
		assert_int_equal(graph_build(q->good, &good), 0);
	asking_take(q, &a);
	a.lasting = true;
	do {
		_cleanup_(free_diagnosis) struct diagnosis *d =
			diagnosis_with(g, good, q->good_name, task, from, to, &a);

		put_diagnosis(q, d);
		if (a.person || a.rules.v.n || good)
			fprintf(q->out, "says: %s\n", d->sentence);
	} while (asking_again(&a));
}

static void ask_asked(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	const struct diagnose_options o = { .window_given = true };
	struct diagnosis *d;
	uint64_t from, to;
	uint32_t task;

	if (!next_span(q, g, &task, &from, &to))
		return;
	assert_int_equal(diagnose(g, task, from, to, &o, &d), 0);
	fprintf(q->out, "%s %s%s\n%s\n", verdict_name(d->verdict), cause_word(d->cause),
		d->strong ? "" : " perhaps", d->sentence);
	diagnosis_free(d);
}

static void put_doubts(FILE *out, uint32_t doubts)
{
	static const char *const names[DOUBTS] = {
		[DOUBT_LINK] = "link",       [DOUBT_OBJECT] = "object",   [DOUBT_IDLE] = "idle",
		[DOUBT_LEAF] = "leaf",       [DOUBT_CPU] = "cpu",         [DOUBT_CYCLE] = "cycle",
		[DOUBT_CHOICE] = "choice",   [DOUBT_END] = "end",         [DOUBT_COMPARISON] = "comparison",
		[DOUBT_POLLING] = "polling", [DOUBT_UNKNOWN] = "unknown", [DOUBT_ABSENCE] = "absence",
		[DOUBT_WORK] = "work",
	};

	for (unsigned i = 0; i < DOUBTS; i++)
		if (doubts >> i & 1)
			fprintf(out, "doubt: %s\n", names[i]);
}

static void ask_doubts(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	struct diagnosis *d;
	uint64_t from, to;
	uint32_t task;

	if (!next_span(q, g, &task, &from, &to))
		return;
	assert_int_equal(diagnose(g, task, from, to, NULL, &d), 0);
	assert_int_equal(d->strong, !d->doubts);
	for (size_t i = d->cycle; i < d->n_chain; i++)
		fprintf(q->out, "waits in a cycle: %s[%u]\n", d->chain[i].comm, d->chain[i].tid);
	put_doubts(q->out, d->doubts);
	diagnosis_free(d);
}

static void ask_sentence(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_diagnosis) struct diagnosis *d = diagnosis_of(q, g);

	if (d)
		fprintf(q->out, "%s\n", d->sentence);
}

static void ask_behind(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_diagnosis) struct diagnosis *d = diagnosis_of(q, g);
	struct queues *all;

	if (!d)
		return;
	assert_int_equal(behind_find(g, d, &all), 0);
	put_queues(q, g, all);
	queues_free(all);
}

static void ask_waits(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_diagnosis) struct diagnosis *d = diagnosis_of(q, g);

	for (size_t i = 0; d && i < d->n_chain; i++) {
		fprintf(q->out, "%s[%u] %u, the longest ", d->chain[i].comm, d->chain[i].tid,
			d->chain[i].waits);
		question_put_time(q, d->chain[i].longest_ns);
		fputc('\n', q->out);
	}
}

static void ask_times(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_diagnosis) struct diagnosis *d = diagnosis_of(q, g);

	for (enum time_kind k = 0; d && k < TIME_KINDS; k++) {
		if (!d->time_ns[k])
			continue;
		question_put_time(q, d->time_ns[k]);
		fprintf(q->out, " %s\n", time_kind_name(k));
	}
}

static void ask_flag(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	char name[TEXT_NAME_MAX];
	uint64_t from, to;
	uint32_t task;
	struct flag f;

	if (!next_span(q, g, &task, &from, &to))
		return;
	f = flag_find(g, task, from, to);
	fprintf(q->out, "%s written by ", text_put_object(f.obj, name));
	question_put_task(q, g, f.writer);
	fputc('\n', q->out);
}

static uint32_t next_wait(const struct question *q, const struct graph *g)
{
	uint32_t task = question_task(q, g, q->w->to_ns);
	uint64_t at = question_time(q);
	uint32_t i = q->l->error[0] ? GRAPH_NONE : graph_interval_at(g, task, at);

	if (i != GRAPH_NONE && g->intervals[i].state == INTERVAL_BLOCKED)
		return i;
	text_line_fail(q->l, "the task does not wait then");
	return GRAPH_NONE;
}

static void put_missing(const struct question *q, const struct graph *g, const struct missing_wake *x)
{
	static const char *const how[] = { "ended", "silent", "elsewhere", "asleep", "busy" };

	fputs("wait ", q->out);
	question_put_time(q, x->wait_from_ns);
	fputs("..", q->out);
	question_put_time(q, x->wait_to_ns);
	fprintf(q->out, ", %u alike of ", x->occurrences);
	question_put_task(q, g, g->intervals[x->reference].task);
	fprintf(q->out, ", %u otherwise, usually ", x->others);
	question_put_time(q, x->usual_ns);
	fprintf(q->out, "%s%s%s%s%s\n", x->late ? " late" : "", x->regular ? " regular" : "",
		x->own_accord ? " own-accord" : "", missing_wake_is_good(x) ? " good" : "",
		missing_wake_is_sure(x) ? " sure" : "");
	for (uint32_t i = 0; i < x->n_steps; i++) {
		question_put_task(q, g, x->steps[i].task);
		fprintf(q->out, " %s %u times%s, last ", edge_kind_name(x->steps[i].edge), x->steps[i].count,
			x->steps[i].more ? " or more" : "");
		question_put_time(q, x->steps[i].last_ns);
		fputc('\n', q->out);
	}
	fprintf(q->out, "%s since ", how[x->how]);
	question_put_time(q, x->since_ns);
	if (x->triggers)
		fprintf(q->out, " after %u triggers", x->triggers);
	fprintf(q->out, ": %s\n", x->text);
}

static void ask_missing(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint32_t wait = next_wait(q, g);
	struct missing_wake *x;

	if (wait == GRAPH_NONE)
		return;
	assert_int_equal(missing_wake_find(g, wait, q->w->to_ns, &x), 0);
	if (x)
		put_missing(q, g, x);
	else
		fputs("nothing\n", q->out);
	missing_wake_free(x);
}

static void ask_hangs(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	struct hangs_filter filter = { .worst = text_line_skip(q->l, "worst"),
				       .alive = text_line_skip(q->l, "alive") };
	struct hangs *h;

	if (text_line_skip(q->l, "at"))
		text_range(q->l, text_line_next(q->l, "a range"), &filter.at_from_ns, &filter.at_to_ns);
	assert_int_equal(hangs_find(g, q->w->from_ns, q->w->to_ns, &filter, &h), 0);
	for (size_t i = 0; i < h->n; i++) {
		const struct hang *x = &h->v[i];

		fprintf(q->out, "%zu %s ", i + 1, x->alarm ? "alarm" : "no alarm");
		question_put_task(q, g, x->task);
		fputc(' ', q->out);
		question_put_time(q, x->from_ns);
		fputs("..", q->out);
		question_put_time(q, x->to_ns);
		fprintf(q->out, " %s %s", verdict_name(x->diagnosis->verdict),
			cause_word(x->diagnosis->cause));
		if (x->first_row != i)
			fprintf(q->out, ", same as %zu", x->first_row + 1);
		if (x->number)
			fprintf(q->out, ", number %u", x->number);
		fputc('\n', q->out);
	}
	hangs_free(h);
}

static void ask_hang_ends(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint64_t since, found;
	uint32_t task;
	bool looped;

	if (!next_span(q, g, &task, &since, &found))
		return;
	looped = text_line_skip(q->l, "looped");
	question_put_time(q, hangs_end(g, task, since, found, looped));
	fputc('\n', q->out);
}

static void put_rows(const struct question *q, const struct graph *g, const struct account *a,
		     enum account_group group)
{
	char words[ACCOUNT_WORDS_MAX];
	uint64_t sum = 0;

	for (size_t i = 0; i < a->n_rows[group]; i++) {
		const struct account_row *r = &a->rows[group][i];

		sum += r->ns;
		account_words(g, group, r, words, sizeof(words));
		question_put_time(q, r->ns);
		if (r->within_ns != r->ns) {
			fputs(" of ", q->out);
			question_put_time(q, r->within_ns);
		}
		fprintf(q->out, " %s\n", words);
	}
	assert_int_equal(sum, a->total_ns);
}

static void ask_account(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	enum account_group group = 0;
	const char *name;
	struct account *a;
	uint64_t from, to;
	struct path *p;
	uint32_t task;

	if (!next_span(q, g, &task, &from, &to))
		return;
	name = text_line_next(q->l, "a group");
	while (group < ACCOUNT_GROUPS && strcmp(account_group_name(group), name) != 0)
		group++;
	if (group == ACCOUNT_GROUPS) {
		text_line_fail(q->l, "no such group: \"%s\"", name);
		return;
	}
	assert_int_equal(path_walk(g, task, from, to, &p), 0);
	assert_int_equal(account_new(g, p, &a), 0);
	assert_int_equal(a->total_ns, to - from);
	put_rows(q, g, a, group);
	account_free(a);
	path_free(p);
}

static struct whatif_without next_without(const struct question *q, const struct graph *g, FILE *words)
{
	static const struct text_word kinds[] = { { "wait", WHATIF_WAIT },
						  { "waits", WHATIF_WAITS },
						  { "task", WHATIF_TASK },
						  { "process", WHATIF_PROCESS },
						  { "object", WHATIF_OBJECT },
						  { "resource", WHATIF_RESOURCE },
						  { NULL, 0 } };
	const char *kind = text_line_next(q->l, "what is taken away");
	struct whatif_without x = { .kind = (uint8_t)text_one_of(q->l, kind, kinds) };
	struct text_line rest = *q->l;

	fprintf(words, " %s %s", kind, text_line_next(&rest, "a name"));
	switch ((enum whatif_kind)x.kind) {
	case WHATIF_WAIT:
	case WHATIF_WAITS:
		fprintf(words, " %s", text_line_next(&rest, "a time"));
		x.interval = next_wait(q, g);
		break;
	case WHATIF_TASK:
	case WHATIF_PROCESS:
		x.task = question_task(q, g, 0);
		break;
	case WHATIF_OBJECT:
		x.obj = text_object(q->l, text_line_next(q->l, "an object"));
		break;
	case WHATIF_RESOURCE:
		kind = text_line_next(q->l, "a resource");
		while (x.time < TIME_KINDS && strcmp(time_kind_name(x.time), kind) != 0)
			x.time++;
		if (x.time == TIME_KINDS)
			text_line_fail(q->l, "no such resource: \"%s\"", kind);
		break;
	}
	return x;
}

static void put_saved(const struct question *q, const struct graph *g, struct whatif *x)
{
	_cleanup_free_ char *words = NULL;
	struct whatif_without v[8];
	uint64_t ns = 0;
	size_t n = 0, size = 0;
	FILE *f = open_memstream(&words, &size);

	assert_non_null(f);
	if (text_line_skip(q->l, "nothing"))
		fputs(" nothing", f);
	else
		do {
			fputs(n ? " +" : "", f);
			v[n++] = next_without(q, g, f);
		} while (n < ARRAY_SIZE(v) && text_line_skip(q->l, "+"));
	fclose(f);
	if (q->l->error[0])
		return;
	assert_int_equal(whatif_saved(x, v, n, &ns), 0);
	question_put_time(q, ns);
	fprintf(q->out, " without%s\n", words);
}

static void ask_saved(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint64_t from, to;
	struct whatif *x;
	uint32_t task;

	if (!next_span(q, g, &task, &from, &to))
		return;
	assert_int_equal(whatif_new(g, task, from, to, &x), 0);
	assert_int_equal(whatif_link(x, NULL, NULL), 0);
	do
		put_saved(q, g, x);
	while (!q->l->error[0] && text_line_skip(q->l, "/"));
	whatif_free(x);
}

int main(int argc, char **argv)
{
	static const struct question_kind kinds[] = {
		{ "asked", ask_asked, "asked A FROM..TO" },
		{ "diagnose", ask_diagnose,
		  "diagnose A FROM..TO [not=] [cause=] [not-edge=] [answers=] [keep] [again]" },
		{ "sentence", ask_sentence, "sentence A FROM..TO" },
		{ "doubts", ask_doubts, "doubts A FROM..TO" },
		{ "times", ask_times, "times A FROM..TO" },
		{ "flag", ask_flag, "flag A FROM..TO" },
		{ "missing", ask_missing, "missing A TIME" },
		{ "waits", ask_waits, "waits A FROM..TO" },
		{ "hangs", ask_hangs, "hangs [worst] [at FROM..TO]" },
		{ "hang-ends", ask_hang_ends, "hang-ends A SINCE..FOUND [looped]" },
		{ "account", ask_account, "account A FROM..TO GROUP" },
		{ "saved", ask_saved, "saved A FROM..TO WHAT [+ WHAT] [/ WHAT ...]" },
		{ "services", ask_services, "services [touching FROM..TO]" },
		{ "parts", ask_parts, "parts N" },
		{ "open", ask_open, "open OBJECT TIME" },
		{ "queues", ask_queues, "queues" },
		{ "lengths", ask_lengths, "lengths" },
		{ "pools", ask_pools, "pools" },
		{ "unprobed", ask_unprobed, "unprobed FROM..TO" },
		{ "behind", ask_behind, "behind A FROM..TO" },
		{ "transactions", ask_transactions,
		  "transactions [touching FROM..TO] [mark=] [until=] [program=] [cmdline=] [service=] [address=] [queue=] [input=] [timer=] [name=]" },
		{ "inputs", ask_inputs, "inputs" },
		{ "profile", ask_profile, "profile A FROM..TO" },
		{ "wakes", ask_wakes, "wakes A FROM..TO" },
		{ "keys", ask_keys, "keys A FROM..TO" },
		{ "delta", ask_delta, "delta A FROM..TO A FROM..TO" },
		{ "command", ask_command, "command" },
		{ "patterns", ask_patterns, "patterns A" },
		{ "flame", ask_flame, "flame offcpu|blame|oncpu A FROM..TO" },
		{ "events", ask_events, "events A" },
		{ "crashes", ask_crashes, "crashes" },
		{ "lanes", ask_lanes, "lanes A FROM..TO" },
		{ "spans", ask_spans, "spans A FROM..TO B" },
		{ "stretches", ask_stretches, "stretches A FROM..TO" },
		{ "slice", ask_slice,
		  "slice A TIME [way] [forward] [beam=] [max=] [not=] [cause=] [not-edge=] [answers=] [keep] "
		  "[again]" },
		{ NULL, NULL, NULL },
	};

	return cases_main(argc, argv, kinds);
}
