// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Questions about graphs, for the cases in *.txt:
 *
 *   => lives TID                  each task that had this tid, from its birth to its end
 *   => timeline A [FROM..TO]      the intervals of A, and the wake that ended each interval
 *   => blame A TIME               the task or thing to blame for the wait at that time
 *   => path A FROM..TO            the pieces of the critical path: the task of each piece, and the
 *                                 tasks that wait for this task
 *   => segments [A]               the segments TASK.N of the causal graph: time, cut, and the task
 *                                 for which the segment works
 *   => edges [KIND] [to=A]        the edges: segment and time of the cause, then of the effect
 *   => requests                   the requests: client, server, times, and the parent request
 *   => works                      the task that worked for each request, and the time of this work
 *   => peer OBJECT                the other end of a socket
 *
 * The questions "segments" and "edges" may also have policy=POLICY and without=RULE. The program also
 * checks that each causal graph is valid, and that each edge has a sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "graph/causal/requests.h"
#include "graph/path/path.h"
#include "lib/cleanup.h"
#include "test/unit/graph/causal_make.h"
#include "test/unit/graph/questions.h"
#include "trace/words/describe.h"

static const char *name_of(const struct question *q, uint32_t tid, char *buf)
{
	return text_put_task(q->w, tid, 0, buf);
}

static void put_range(const struct question *q, uint64_t from_ns, uint64_t to_ns)
{
	char from[TEXT_TIME_MAX], to[TEXT_TIME_MAX];

	fprintf(q->out, "%s..%s", text_put_time(from_ns, from), text_put_time(to_ns, to));
}

static void ask_lives(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint32_t tid = text_task(q->t, q->l, text_line_next(q->l, "a tid"));
	char buf[TEXT_TIME_MAX];

	for (size_t i = 0; i < g->n_tasks; i++) {
		const struct graph_task *t = &g->tasks[i];

		if (t->tid != tid)
			continue;
		fprintf(q->out, "born %s", text_put_time(t->born_ns, buf));
		if (t->exit_ns != UINT64_MAX)
			fprintf(q->out, " exits %s", text_put_time(t->exit_ns, buf));
		if (t->n_intervals)
			fprintf(q->out, " known until %s",
				text_put_time(g->intervals[t->first_interval + t->n_intervals - 1].to_ns,
					      buf));
		fputc('\n', q->out);
	}
}

static void put_wake(const struct question *q, const struct graph *g, const struct interval *s)
{
	const struct window_event *wake = &q->w->events[s->wake];
	char name[TEXT_NAME_MAX], at[TEXT_TIME_MAX];
	uint8_t kind, strength;

	edge_classify(g, s, wake, &kind, &strength);
	fprintf(q->out, " woken by %s at %s", name_of(q, wake->r.peer, name), text_put_time(wake->r.ts, at));
	if (wake->r.state)
		fprintf(q->out, " in %s", describe_context(wake->r.state));
	fprintf(q->out, ": %s %s", edge_kind_name(kind), edge_strength_name(strength));
}

static void put_interval(const struct question *q, const struct graph *g, const struct interval *s)
{
	static const char *const states[] = { "unknown", "running", "runnable", "blocked", "folded" };
	char name[TEXT_NAME_MAX], ran[TEXT_TIME_MAX], queued[TEXT_TIME_MAX];
	struct interval_sums sums;

	put_range(q, s->from_ns, s->to_ns);
	fprintf(q->out, " %s", states[s->state]);
	if (interval_sums(s, s->from_ns, s->to_ns, &sums))
		fprintf(q->out, " ran %s queued %s switches %u", text_put_time(sums.ran_ns, ran),
			text_put_time(sums.queued_ns, queued), sums.switches);
	if (s->state == INTERVAL_BLOCKED)
		fprintf(q->out, " %s%s%s", describe_wait(s->wait), s->obj ? " " : "",
			s->obj ? text_put_object(s->obj, name) : "");
	if (graph_futex_owner(g, s) && s->state == INTERVAL_BLOCKED)
		fprintf(q->out, " owner %s", name_of(q, graph_futex_owner(g, s), name));
	if (s->state == INTERVAL_BLOCKED && s->wake != GRAPH_NONE)
		put_wake(q, g, s);
	fputc('\n', q->out);
}

static void ask_timeline(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint32_t task = question_task(q, g, 0);
	const char *range = text_line_more(q->l);
	uint64_t from = 0, to = UINT64_MAX;

	if (range)
		text_range(q->l, range, &from, &to);
	for (size_t i = 0; i < g->n_intervals && !q->l->error[0]; i++)
		if (g->intervals[i].task == task && g->intervals[i].to_ns > from &&
		    g->intervals[i].from_ns < to)
			put_interval(q, g, &g->intervals[i]);
}

static void ask_blame(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint32_t task = question_task(q, g, 0);
	uint64_t at = text_time(q->l, text_line_next(q->l, "a time"));
	uint32_t interval = task == GRAPH_NONE ? GRAPH_NONE : graph_interval_at(g, task, at);
	char name[TEXT_NAME_MAX];
	struct enders all;
	struct blame b;

	if (interval == GRAPH_NONE || g->intervals[interval].state != INTERVAL_BLOCKED) {
		text_line_fail(q->l, "the task does not wait then");
		return;
	}
	blame_wait(g, interval, q->w->to_ns, &b);
	fprintf(q->out, "%s %s %s%s%s%s\n",
		b.task == GRAPH_NONE ? "nobody" : name_of(q, g->tasks[b.task].tid, name),
		edge_kind_name(b.edge), edge_strength_name(b.strength), b.ended ? " ended" : "",
		b.timed_out ? " timed-out" : "", b.killed ? " killed" : "");
	if (!b.rivals)
		return;
	blame_rivals(g, interval, &b, &all);
	fputs("one of", q->out);
	for (size_t i = 0; i < all.n; i++)
		fprintf(q->out, " %s", name_of(q, g->tasks[all.v[i]].tid, name));
	fputs("\n", q->out);
}

static void put_waiters(const struct question *q, const struct graph *g, const struct path *p, uint32_t frame)
{
	char name[TEXT_NAME_MAX];

	for (uint32_t f = p->frames[frame].parent; f != GRAPH_NONE; f = p->frames[f].parent)
		fprintf(q->out, " for %s", name_of(q, g->tasks[p->frames[f].task].tid, name));
}

static void ask_path(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint32_t task = question_task(q, g, 0);
	uint64_t from, to, at;
	struct path *p;

	text_range(q->l, text_line_next(q->l, "a range"), &from, &to);
	if (q->l->error[0])
		return;
	assert_int_equal(path_walk(g, task, from, to, &p), 0);
	at = from;
	for (size_t i = 0; i < p->n_pieces; i++) {
		const struct path_piece *x = &p->pieces[i];
		char name[TEXT_NAME_MAX];

		assert_int_equal(x->from_ns, at);
		at = x->to_ns;
		put_range(q, x->from_ns, x->to_ns);
		fprintf(q->out, " %s %s", time_kind_name(x->time),
			name_of(q, g->tasks[p->frames[x->frame].task].tid, name));
		put_waiters(q, g, p, x->frame);
		fprintf(q->out, "%s\n", x->cycle ? " cycle" : "");
	}
	assert_int_equal(at, to);
	path_free(p);
}

static struct causal_options options_of(const struct question *q)
{
	static const struct text_word policies[] = { { "ctrace", POLICY_CTRACE },
						     { "panappticon", POLICY_PANAPPTICON },
						     { "appinsight", POLICY_APPINSIGHT },
						     { NULL, 0 } };
	const char *policy = text_line_field(q->l, "policy"), *without = text_line_field(q->l, "without");
	struct causal_options o = { .policy = policy ? text_one_of(q->l, policy, policies) : POLICY_CTRACE };

	for (int rule = 0; without && rule < CUT_RULES; rule++)
		if (!strcmp(cut_rule_name(rule), without))
			o.cuts_off |= CUT_BIT(rule);
	if (without && !o.cuts_off)
		text_line_fail(q->l, "no such rule: \"%s\"", without);
	return o;
}

static struct built built_of(const struct question *q)
{
	struct causal_options o = options_of(q);
	struct built b = { .g = question_graph(q) };

	assert_int_equal(causal_build(b.g, &o, &b.c), 0);
	assert_sound(&b);
	return b;
}

static void built_done(struct built *b)
{
	causal_free(b->c);
	graph_free(b->g);
}

static void put_segment(const struct question *q, const struct built *b, uint32_t segment)
{
	uint32_t task = b->c->segments[segment].task;
	char name[TEXT_NAME_MAX];

	fprintf(q->out, "%s.%u", name_of(q, b->g->tasks[task].tid, name), segment - b->c->first[task] + 1);
}

static void ask_segments(struct question *q)
{
	_cleanup_(built_done) struct built b = built_of(q);
	const char *word = text_line_more(q->l);
	uint32_t only = word ? graph_task_at(b.g, text_task(q->t, q->l, word), 0) : GRAPH_NONE;

	for (uint32_t i = 0; i < b.c->n_segments; i++) {
		const struct segment *s = &b.c->segments[i];
		char name[TEXT_NAME_MAX];

		if (only != GRAPH_NONE && s->task != only)
			continue;
		put_segment(q, &b, i);
		fputc(' ', q->out);
		put_range(q, s->from_ns, s->to_ns);
		fprintf(q->out, " %s", cut_rule_name(s->cut));
		if (s->behalf != GRAPH_NONE)
			fprintf(q->out, " for %s", name_of(q, b.g->tasks[s->behalf].tid, name));
		fputc('\n', q->out);
	}
}

static void check_explanation(const struct built *b, const struct edge *e)
{
	char text[EDGE_EXPLAIN_MAX];

	assert_true(edge_explain(b->c, e, text, sizeof(text)) < sizeof(text));
	assert_non_null(strstr(text, "["));
	assert_int_equal(strstr(text, "weak") != NULL, e->strength == EDGE_WEAK);
}

static void put_edge(const struct question *q, const struct built *b, const struct edge *e)
{
	static const char *const flags[] = { "false-wake", "many", "bytes", "alike", "together" };
	char at[TEXT_TIME_MAX];

	if (e->from == GRAPH_NONE)
		fputs("outside", q->out);
	else
		put_segment(q, b, e->from);
	fprintf(q->out, " %s -> ", text_put_time(edge_left_ns(b->c, e), at));
	put_segment(q, b, e->to);
	fprintf(q->out, " %s %s %s", text_put_time(edge_arrived_ns(b->c, e), at), edge_kind_name(e->kind),
		edge_strength_name(e->strength));
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (e->flags & 1u << i)
			fprintf(q->out, " %s", flags[i]);
	fputc('\n', q->out);
}

static void ask_edges(struct question *q)
{
	_cleanup_(built_done) struct built b = built_of(q);
	const char *kind = text_line_more(q->l), *to = text_line_field(q->l, "to");
	uint32_t task = to ? graph_task_at(b.g, text_task(q->t, q->l, to), 0) : GRAPH_NONE;

	for (size_t i = 0; i < b.c->n_edges; i++) {
		const struct edge *e = &b.c->edges[i];

		check_explanation(&b, e);
		if ((!kind || !strcmp(kind, edge_kind_name(e->kind))) &&
		    (!to || b.c->segments[e->to].task == task))
			put_edge(q, &b, e);
	}
}

static void put_task(const struct question *q, const struct graph *g, uint32_t task)
{
	char name[TEXT_NAME_MAX];

	fputs(task == GRAPH_NONE ? "outside" : name_of(q, g->tasks[task].tid, name), q->out);
}

static void put_request(const struct question *q, const struct graph *g, const struct request *r)
{
	char at[TEXT_TIME_MAX];

	fprintf(q->out, "%s ", text_put_time(request_from_ns(g, r), at));
	put_task(q, g, r->client);
	if (r->stream)
		fputs(" stream -> ", q->out);
	else
		fprintf(q->out, " %u -> ", r->asked_bytes);
	put_task(q, g, r->server);
	if (r->got != GRAPH_NONE)
		fprintf(q->out, " %s", text_put_time(g->w->events[r->got].r.ts, at));
	if (r->answered == GRAPH_NONE) {
		fputs(" no answer", q->out);
	} else {
		if (r->answerer != r->server) {
			fputs(" by ", q->out);
			put_task(q, g, r->answerer);
		}
		if (!r->stream)
			fprintf(q->out, " %u", r->answer_bytes);
		fprintf(q->out, " until %s", text_put_time(request_to_ns(g, r), at));
	}
	if (r->parent != GRAPH_NONE)
		fprintf(q->out, " for %u", r->parent + 1);
	if (r->unsure)
		fputs(" for one of several", q->out);
	if (r->unsure && r->among != GRAPH_NONE)
		fprintf(q->out, ", such as %u", r->among + 1);
	fputs(r->shared ? " shared\n" : "\n", q->out);
}

static void ask_requests(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(requests_done) struct requests r = { 0 };

	assert_int_equal(requests_find(g, &r), 0);
	for (size_t i = 0; i < r.n; i++) {
		fprintf(q->out, "%zu: ", i + 1);
		put_request(q, g, &r.v[i]);
	}
}

static void ask_works(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(requests_done) struct requests r = { 0 };

	assert_int_equal(requests_find(g, &r), 0);
	for (size_t i = 0; i < r.n_works; i++) {
		put_task(q, g, r.works[i].task);
		fputc(' ', q->out);
		put_range(q, r.works[i].from_ns, r.works[i].to_ns);
		fprintf(q->out, " for %u\n", r.works[i].request + 1);
	}
}

static void ask_peer(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	uint64_t obj = text_object(q->l, text_line_next(q->l, "an object"));
	char name[TEXT_NAME_MAX];

	fprintf(q->out, "%s\n", text_put_object(graph_peer_object(g, obj), name));
}

int main(int argc, char **argv)
{
	static const struct question_kind kinds[] = {
		{ "lives", ask_lives, "lives TID" },
		{ "timeline", ask_timeline, "timeline A [FROM..TO]" },
		{ "blame", ask_blame, "blame A TIME" },
		{ "path", ask_path, "path A FROM..TO" },
		{ "segments", ask_segments, "segments [A] [policy=POLICY] [without=RULE]" },
		{ "edges", ask_edges, "edges [KIND] [to=A] [policy=POLICY] [without=RULE]" },
		{ "requests", ask_requests, "requests" },
		{ "works", ask_works, "works" },
		{ "peer", ask_peer, "peer OBJECT" },
		{ NULL, NULL, NULL },
	};

	return cases_main(argc, argv, kinds);
}
