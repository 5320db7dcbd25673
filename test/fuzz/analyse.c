// SPDX-License-Identifier: GPL-2.0-or-later
#include "test/fuzz/analyse.h"

#include <stdlib.h>

#include "analysis/account/account.h"
#include "analysis/delta/delta.h"
#include "analysis/crashes/crashes.h"
#include "analysis/hangs/hangs.h"
#include "analysis/jobs/pools.h"
#include "analysis/jobs/queues.h"
#include "analysis/patterns/collect.h"
#include "analysis/patterns/patterns.h"
#include "analysis/picture/make.h"
#include "analysis/requests/services.h"
#include "analysis/transactions/transactions.h"
#include "analysis/slice/slice.h"
#include "analysis/whatif/whatif.h"
#include "graph/causal/causal.h"
#include "lib/cleanup.h"

#define ANALYSE_TASKS 3u

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* In a damaged file, a checkpoint or a resync may contradict the records. Then a task may have
 * holes between its intervals. */
static void check_intervals(const struct graph *g)
{
	struct interval_sums sums;

	for (size_t i = 0; i < g->n_tasks; i++)
		for (uint32_t k = 0; k < g->tasks[i].n_intervals; k++) {
			const struct interval *s = &g->intervals[g->tasks[i].first_interval + k];

			must(s->from_ns <= s->to_ns && s->task == i && s->state <= INTERVAL_FOLDED);
			must(!k || s[-1].to_ns == s->from_ns || g->w->n_states || g->w->n_resyncs);
			must(s->state != INTERVAL_FOLDED || s->flags & INTERVAL_SUMS ||
			     s->wake == GRAPH_NONE);
			if (interval_sums(s, s->from_ns, s->to_ns, &sums))
				must(sums.ran_ns + sums.queued_ns <= s->to_ns - s->from_ns);
		}
}

static void check_causal(const struct causal *c)
{
	char text[EDGE_EXPLAIN_MAX];

	for (size_t i = 0; i < c->n_segments; i++) {
		const struct segment *s = &c->segments[i];

		must(s->from_ns <= s->to_ns && s->task < c->g->n_tasks && s->cut < CUT_RULES);
		must(s->in + s->n_in <= c->n_edges);
		if (i && s[-1].task == s->task)
			must(s[-1].to_ns == s->from_ns);
	}
	for (size_t i = 0; i < c->n_edges; i++) {
		const struct edge *e = &c->edges[i];

		must(e->to < c->n_segments && (e->from == GRAPH_NONE || e->from < c->n_segments));
		must(edge_explain(c, e, text, sizeof(text)) > 0);
		edge_object(c, e);
	}
}

static void walk(const struct causal *c, uint32_t task, uint64_t at_ns)
{
	for (int forward = 0; forward < 2; forward++) {
		struct slice_options o = { .direction = forward ? SLICE_FORWARD : SLICE_BACKWARD };
		struct slice *s;

		if (slice_walk(c, task, at_ns, &o, &s))
			continue;
		must(s->n_steps >= 1 && s->n_steps <= SLICE_MAX_STEPS);
		for (size_t i = 1; i < s->n_steps; i++)
			must(s->steps[i].parent < s->n_steps && s->steps[i].edge < c->n_edges);
		slice_free(s);
	}
}

static void check_profile(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct profile *runs[1];
	struct profile *p;
	struct delta *d;
	uint64_t sum = 0;

	if (profile_new(g, task, from_ns, to_ns, &p))
		return;
	for (size_t i = 0; i < p->n_parts; i++)
		sum += p->parts[i].ns;
	must(sum == to_ns - from_ns && p->n_parts <= PROFILE_PARTS_MAX + 1);
	runs[0] = p;
	if (!delta_new(runs, 1, runs, 1, DELTA_P95, &d)) {
		must(d->n_rows <= p->n_parts && !d->difference_ns);
		delta_free(d);
	}
	profile_free(p);
}

static void time_of(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	struct causal_links links;
	struct path *p;
	struct account *a;
	struct whatif *x;
	uint64_t at = from_ns, saved;

	check_profile(g, task, from_ns, to_ns);
	if (path_walk(g, task, from_ns, to_ns, &p))
		return;
	for (size_t i = 0; i < p->n_pieces; i++) {
		must(p->pieces[i].from_ns == at && p->pieces[i].to_ns > at);
		at = p->pieces[i].to_ns;
	}
	must(at == to_ns);
	if (!account_new(g, p, &a))
		account_free(a);
	if (!whatif_new(g, task, from_ns, to_ns, &x)) {
		struct whatif_without without = { .kind = WHATIF_TASK,
						  .task = (task + 1) % (uint32_t)g->n_tasks };

		whatif_prepare(x, p, NULL, NULL);
		must(!causal_links_find(g, &links));
		if (!whatif_link(x, &links, NULL) && !whatif_saved(x, &without, 1, &saved))
			must(saved <= to_ns - from_ns);
		causal_links_done(&links);
		whatif_free(x);
	}
	path_free(p);
}

static void check_picture(const struct graph *g, const struct diagnosis *d)
{
	struct picture *p;
	struct path *path;

	if (path_walk(g, d->chain[0].task, d->from_ns, d->to_ns, &path))
		return;
	must(!picture_make(g, d, path, g->w->from_ns, d->to_ns, &p));
	must(p->lanes.n && p->lanes.n <= PICTURE_LANES && p->lanes.v[0].task == d->chain[0].task);
	must(p->route.n <= PICTURE_ROUTE && p->gaps.n <= PICTURE_STRETCHES &&
	     p->lacking.n <= PICTURE_STRETCHES);
	for (size_t i = 0; i < p->lanes.n; i++) {
		const struct lane *l = &p->lanes.v[i];
		uint64_t at = p->from_ns;

		for (size_t k = 0; k < l->spans.n; k++) {
			must(l->spans.v[k].from_ns >= at && l->spans.v[k].to_ns > l->spans.v[k].from_ns);
			must(l->spans.v[k].blame == GRAPH_NONE || l->spans.v[k].blame < l->blames.n);
			at = l->spans.v[k].to_ns;
		}
		must(at <= p->to_ns);
	}
	picture_free(p);
	path_free(path);
}

static void check_requests(const struct graph *g, uint64_t from_ns, uint64_t to_ns)
{
	struct services *s;

	if (services_find(g, from_ns, to_ns, NULL, &s))
		return;
	for (uint32_t i = 0; i < s->requests.n; i++) {
		const struct request *q = &s->requests.v[i];
		uint64_t at = request_from_ns(g, q);
		part_list parts = { 0 };

		must(s->of[i] < s->n && (q->parent == GRAPH_NONE || q->parent < s->requests.n));
		if (q->answered == GRAPH_NONE)
			continue;
		must(!parts_of(&s->parts, i, &parts));
		for (size_t k = 0; k < parts.n; k++) {
			must(parts.v[k].from_ns == at && parts.v[k].to_ns > at);
			at = parts.v[k].to_ns;
		}
		must(at == request_to_ns(g, q));
		VEC_FREE(&parts);
	}
	services_free(s);
}

static void check_transactions(const struct graph *g, const struct transaction_rules *rules)
{
	struct transactions *t;

	if (transactions_find(g, g->w->from_ns, g->w->to_ns, rules, NULL, &t))
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct transaction *x = &t->v[i];
		uint64_t sum = 0;

		must(x->type < t->n_types && (!x->to_ns || x->to_ns > x->from_ns));
		if (x->shape == GRAPH_NONE)
			continue;
		must(x->first_part + x->n_parts <= t->n_parts && x->shape < t->shapes.v.n);
		for (size_t k = 0; k < x->n_parts; k++)
			sum += t->parts[x->first_part + k].ns;
		must(sum == x->to_ns - x->from_ns);
	}
	transactions_free(t);
}

static void all_transactions(const struct graph *g)
{
	static const struct transaction_rule all[] = {
		{ .source = TRANSACTION_MARK },    { .source = TRANSACTION_PROCESS },
		{ .source = TRANSACTION_REQUEST }, { .source = TRANSACTION_JOB },
		{ .source = TRANSACTION_INPUT },   { .source = TRANSACTION_TIMER }
	};
	struct transaction_rules rules = { 0 };

	must(!transaction_rules_default(g, &rules));
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		must(!VEC_PUSH(&rules.v, all[i]));
	check_transactions(g, &rules);
	transaction_rules_done(&rules);
}

static void check_patterns(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	struct collected *c;
	struct patterns *p;

	if (collect(g, task, from_ns, to_ns, &c))
		return;
	must(!patterns_find(&c->sequence, 2, &p));
	for (size_t i = 0; i < p->n; i++) {
		must(p->v[i].total >= 2 && p->v[i].max >= 2 && p->v[i].min <= p->v[i].max);
		must(p->v[i].events >= p->v[i].total && p->v[i].events <= c->sequence.events.n);
		must(p->v[i].ns <= c->sequence.ns);
	}
	patterns_free(p);
	collected_free(c);
}

static void check_crashes(const struct graph *g, uint64_t from_ns, uint64_t to_ns)
{
	struct crashes *cs;

	if (crashes_find(g, from_ns, to_ns, &cs))
		return;
	for (size_t i = 0; i < cs->n; i++) {
		must(cs->v[i].task < g->n_tasks && cs->v[i].text);
		must(!cs->v[i].path || cs->v[i].path->n_steps);
		must(i == 0 || cs->v[i].at_ns >= cs->v[i - 1].at_ns);
	}
	crashes_free(cs);
}

void analyse_window(const struct window *w)
{
	struct causal_options options = { .policy = POLICY_CTRACE };
	uint64_t from_ns = w->from_ns, to_ns = w->to_ns;
	struct graph *g;
	struct causal *c;
	struct diagnosis *d;
	struct hangs *h;
	struct diagnose_options good = { .good_name = "good" };
	struct queues *q;

	if (graph_build(w, &g))
		return;
	good.good = g;
	check_intervals(g);
	for (int policy = POLICY_APPINSIGHT; policy >= POLICY_CTRACE; policy--) {
		options.policy = (enum causal_policy)policy;
		must(!causal_build(g, &options, &c));
		check_causal(c);
		for (uint32_t task = 0; task < g->n_tasks && task < ANALYSE_TASKS; task++)
			walk(c, task, from_ns + (to_ns - from_ns) / 2);
		causal_free(c);
	}
	for (uint32_t task = 0; task < g->n_tasks && task < ANALYSE_TASKS; task++)
		time_of(g, task, from_ns, to_ns);
	for (uint32_t task = 0; task < g->n_tasks && task < ANALYSE_TASKS; task++)
		for (int against = 0; against < 2; against++)
			if (!diagnose(g, task, from_ns, to_ns, against ? &good : NULL, &d)) {
				check_picture(g, d);
				diagnosis_free(d);
			}
	if (!hangs_find(g, from_ns, to_ns, NULL, &h))
		hangs_free(h);
	check_crashes(g, from_ns, to_ns);
	check_requests(g, from_ns, to_ns);
	all_transactions(g);
	for (uint32_t task = 0; task < g->n_tasks && task < ANALYSE_TASKS; task++)
		check_patterns(g, task, from_ns, to_ns);
	if (!queues_find(g, from_ns, to_ns, &q))
		queues_free(q);
	if (!pools_find(g, from_ns, to_ns, &q))
		queues_free(q);
	graph_free(g);
}
