/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/jobs/pools.h"
#include "analysis/jobs/queues.h"
#include "analysis/jobs/unprobed.h"
#include "analysis/requests/services.h"
#include "analysis/requests/shapes.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static void free_services(struct services **s)
{
	services_free(*s);
}

static void put_ns(const struct question *q, const char *word, uint64_t ns)
{
	char buf[TEXT_TIME_MAX];

	fprintf(q->out, " %s %s", word, text_put_time(ns, buf));
}

static void put_service(const struct question *q, const struct services *all, const struct service *s)
{
	fprintf(q->out, "%s %s", s->name, s->address);
	if (s->container[0])
		fprintf(q->out, " in %s", s->container);
	if (s->has_twin)
		fprintf(q->out, " netns %u", s->netns);
	fprintf(q->out, ": %zu", s->count);
	if (s->n_open)
		fprintf(q->out, " open %zu", s->n_open);
	if (s->open != GRAPH_NONE)
		fprintf(q->out, " first %u", s->open);
	if (s->n_shared)
		fprintf(q->out, " shared %zu", s->n_shared);
	put_ns(q, "p50", s->latency.p50);
	put_ns(q, "p99", s->latency.p99);
	put_ns(q, "max", s->latency.max);
	fputc('\n', q->out);
	for (size_t i = 0; i < s->n_reasons; i++)
		fprintf(q->out, "  %.0f %.0f %s: %s\n", s->reasons[i].share_p50 * 100,
			s->reasons[i].share_p99 * 100, s->reasons[i].kind, s->reasons[i].text);
	for (size_t i = 0; i < s->n_asks; i++)
		fprintf(q->out, "  asks %s %zu\n", all->v[s->asks[i].service].name, s->asks[i].count);
	for (size_t i = 0; i < s->n_shapes && s->n_all_shapes > 1; i++) {
		_cleanup_free_ char *text = shapes_say(all, &s->shapes[i]);

		fprintf(q->out, "  shape %zu", s->shapes[i].count);
		put_ns(q, "p50", s->shapes[i].latency.p50);
		put_ns(q, "max", s->shapes[i].latency.max);
		fprintf(q->out, " %s\n", text);
	}
	if (s->n_shapes < s->n_all_shapes)
		fprintf(q->out, "  %zu shapes in all\n", s->n_all_shapes);
	if (s->n_slowest) {
		_cleanup_free_ char *text = services_say_request(all, s->slowest[0]);

		fprintf(q->out, "  %u. %s\n", services_number(all, s->slowest[0]), text);
		assert_int_equal(services_numbered(all, services_number(all, s->slowest[0])), s->slowest[0]);
	}
	if (s->open != GRAPH_NONE)
		fprintf(q->out, "  %u. unanswered\n", services_number(all, s->open));
	if (service_is_one_way(s))
		fprintf(q->out, "  one way\n");
}

void ask_services(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_services) struct services *s = NULL;
	struct services_filter filter = { .touching = text_line_skip(q->l, "touching") };
	uint64_t from_ns = q->w->from_ns, to_ns = q->w->to_ns;

	if (filter.touching)
		text_range(q->l, text_line_next(q->l, "a range"), &from_ns, &to_ns);
	assert_int_equal(services_find(g, from_ns, to_ns, &filter, &s), 0);
	for (size_t i = 0; i < s->n; i++)
		put_service(q, s, &s->v[i]);
}

static void check_parts(const struct graph *g, const struct request *r, const part_list *parts)
{
	uint64_t at = request_from_ns(g, r);

	for (size_t i = 0; i < parts->n; i++) {
		assert_int_equal(parts->v[i].from_ns, at);
		at = parts->v[i].to_ns;
	}
	assert_int_equal(at, request_to_ns(g, r));
}

void ask_parts(struct question *q)
{
	static const char *const kinds[] = {
		[PART_WORK] = "work",       [PART_QUEUED] = "queued",
		[PART_SHARED] = "shared",   [PART_CONNECTION] = "connection",
		[PART_TIMER] = "timer",     [PART_INSIDE] = "inside",
		[PART_LOCK] = "lock",       [PART_DELIVERY] = "delivery",
		[PART_OUTSIDE] = "outside",
	};
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_services) struct services *s = NULL;
	uint64_t request = text_number(q->l, text_line_next(q->l, "the number of a request"));
	part_list parts = { 0 };
	char name[TEXT_NAME_MAX], from[TEXT_TIME_MAX], to[TEXT_TIME_MAX];

	assert_int_equal(services_find(g, q->w->from_ns, q->w->to_ns, NULL, &s), 0);
	assert_in_range(request, 1, s->requests.n);
	assert_int_equal(parts_of(&s->parts, (uint32_t)request - 1, &parts), 0);
	check_parts(g, &s->requests.v[request - 1], &parts);
	for (size_t i = 0; i < parts.n; i++) {
		const struct part *p = &parts.v[i];

		fprintf(q->out, "%s..%s %s", text_put_time(p->from_ns, from), text_put_time(p->to_ns, to),
			kinds[p->kind]);
		if (p->task != GRAPH_NONE)
			fprintf(q->out, " %s", text_put_task(q->w, g->tasks[p->task].tid, 0, name));
		if (p->request != request - 1)
			fprintf(q->out, " in %u", p->request + 1);
		if (p->behind != GRAPH_NONE)
			fprintf(q->out, " behind %u", p->behind + 1);
		fputc('\n', q->out);
	}
	VEC_FREE(&parts);
}

void ask_open(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_services) struct services *s = NULL;
	uint64_t sock = text_object(q->l, text_line_next(q->l, "an object"));
	uint64_t ts_ns = text_time(q->l, text_line_next(q->l, "a time"));
	uint32_t request;

	assert_int_equal(services_find(g, q->w->from_ns, q->w->to_ns, NULL, &s), 0);
	request = parts_open_on(&s->parts, sock, ts_ns, 3);
	if (request == GRAPH_NONE)
		fprintf(q->out, "none\n");
	else
		fprintf(q->out, "%u\n", request + 1);
}

static void free_queues(struct queues **q)
{
	queues_free(*q);
}

static void put_times(const struct question *q, const char *word, const struct quantiles *v)
{
	fprintf(q->out, " %s", word);
	put_ns(q, "p50", v->p50);
	put_ns(q, "max", v->max);
}

/* the groups, if there are stacks */
static void put_callers(const struct question *q, const struct graph *g, const struct queue *x)
{
	char name[QUEUE_NAME_MAX];

	for (size_t i = 0; i < x->n_groups; i++) {
		const struct job_group *y = &x->groups[i];

		if (y->stack || y->rest)
			fprintf(q->out, "  group %zu jobs, %zu with stack, %zu stacks: %s\n", y->times.count,
				y->n_stacks, y->n_alike, queue_group_name(g, y, name));
	}
}

void put_queues(const struct question *q, const struct graph *g, const struct queues *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct queue *x = &all->v[i];

		fprintf(q->out, "%zu jobs %u threads %u ran %u waited", x->times.count, x->n_threads,
			x->most_running, x->most_waiting);
		if (x->declared)
			fprintf(q->out, " of %u", x->declared);
		put_times(q, "queue", &x->times.queueing);
		put_times(q, "execution", &x->times.execution);
		fprintf(q->out, " on-cpu %.0f groups %zu\n  %s: %s\n", x->on_cpu * 100, x->n_groups,
			queue_verdict_name(x->verdict), x->text);
		put_callers(q, g, x);
	}
}

void ask_queues(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_queues) struct queues *all = NULL;

	assert_int_equal(queues_find(g, q->w->from_ns, q->w->to_ns, &all), 0);
	put_queues(q, g, all);
}

/* Times in ms. Parts in which no job waited are left out. */
void ask_lengths(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_queues) struct queues *all = NULL;

	assert_int_equal(queues_find(g, q->w->from_ns, q->w->to_ns, &all), 0);
	for (size_t i = 0; i < all->n; i++) {
		const struct queue_length *l = &all->v[i].length;

		if (!l->known)
			fprintf(q->out, "not known\n");
		if (!l->known)
			continue;
		fprintf(q->out, "most %u at %.3g ms mean %.4g parts of %.4g ms", l->most,
			(double)(l->most_ns - q->w->from_ns) / 1e6, l->mean, (double)l->part_ns / 1e6);
		for (size_t k = 0; k < QUEUE_LENGTH_PARTS; k++)
			if (l->parts[k].most)
				fprintf(q->out, " %zu:%u:%.4g", k, l->parts[k].most, l->parts[k].mean);
		fputc('\n', q->out);
	}
}

void ask_pools(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_queues) struct queues *all = NULL;

	assert_int_equal(pools_find(g, q->w->from_ns, q->w->to_ns, &all), 0);
	put_queues(q, g, all);
}

void ask_unprobed(struct question *q)
{
	unprobed_list v = { 0 };
	uint64_t from_ns, to_ns;

	text_range(q->l, text_line_next(q->l, "FROM..TO"), &from_ns, &to_ns);
	assert_int_equal(unprobed_find(q->w, &v), 0);
	unprobed_keep(&v, from_ns, to_ns);
	for (size_t i = 0; i < v.n; i++) {
		fprintf(q->out, "%u", v.v[i].framework);
		put_ns(q, "from", v.v[i].from_ns);
		if (v.v[i].to_ns != UINT64_MAX)
			put_ns(q, "to", v.v[i].to_ns);
		fputc('\n', q->out);
	}
	VEC_FREE(&v);
}
