/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/diagnose/diagnose.h"
#include "analysis/picture/make.h"
#include "lib/cleanup.h"
#include "test/unit/analysis/asking.h"

static void free_picture(struct picture **p)
{
	picture_free(*p);
}

static uint64_t length_of(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	const struct graph_task *t = &g->tasks[task];
	uint64_t sum = 0;

	for (uint32_t i = t->first_interval; i < t->first_interval + t->n_intervals; i++) {
		uint64_t from = MAX(g->intervals[i].from_ns, from_ns), to = MIN(g->intervals[i].to_ns, to_ns);

		sum += to > from ? to - from : 0;
	}
	return sum;
}

/* picture_make() makes each span from one or several intervals of a task, and each piece of the route from
 * one or several pieces of the path. Checks that no time gets lost: the spans cover all intervals, and the
 * route covers the whole path. */
static void check_picture(const struct graph *g, const struct picture *p, const struct path *path)
{
	uint64_t at_ns;
	size_t n = 0;

	for (size_t i = 0; i < p->lanes.n; i++) {
		const struct lane *l = &p->lanes.v[i];
		uint64_t sum = 0;

		at_ns = p->from_ns;
		assert_true(l->spans.n <= PICTURE_SPANS + PICTURE_KEPT);
		for (size_t k = 0; k < l->spans.n; k++) {
			const struct span *s = &l->spans.v[k];

			assert_true(s->from_ns >= at_ns && s->to_ns > s->from_ns && s->to_ns <= p->to_ns);
			assert_true(s->ran_ns + s->queued_ns <= s->to_ns - s->from_ns);
			assert_true(!s->kept || s->n == 1);
			at_ns = s->to_ns;
			sum += s->to_ns - s->from_ns;
		}
		assert_int_equal(sum, length_of(g, l->task, p->from_ns, p->to_ns));
	}
	assert_true(p->route.n && p->route.n <= PICTURE_ROUTE);
	at_ns = path->pieces[0].from_ns;
	for (size_t i = 0; i < p->route.n; i++) {
		assert_int_equal(p->route.v[i].from_ns, at_ns);
		at_ns = p->route.v[i].to_ns;
		n += p->route.v[i].n;
	}
	assert_int_equal(at_ns, path->pieces[path->n_pieces - 1].to_ns);
	assert_int_equal(n, path->n_pieces);
}

static struct picture *picture_of(struct question *q, const struct graph *g)
{
	uint32_t task = question_task(q, g, q->w->to_ns);
	struct picture *p = NULL;
	struct diagnosis *d;
	uint64_t from, to;
	struct path *path;

	text_range(q->l, text_line_next(q->l, "a range"), &from, &to);
	if (q->l->error[0])
		return NULL;
	assert_int_equal(diagnose(g, task, from, to, NULL, &d), 0);
	assert_int_equal(path_walk(g, task, from, to, &path), 0);
	assert_int_equal(picture_make(g, d, path, from, to, &p), 0);
	check_picture(g, p, path);
	path_free(path);
	diagnosis_free(d);
	return p;
}

static void put_task(const struct question *q, const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	fprintf(q->out, "%s[%u]", graph_comm(g, task, ts_ns), g->tasks[task].tid);
}

static void put_range(const struct question *q, uint64_t from_ns, uint64_t to_ns)
{
	question_put_time(q, from_ns);
	fputs("..", q->out);
	question_put_time(q, to_ns);
}

void ask_lanes(struct question *q)
{
	static const char *const words[] = { "chain", "path", "near" };
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_picture) struct picture *p = picture_of(q, g);

	for (size_t i = 0; p && i < p->lanes.n; i++) {
		const struct lane *l = &p->lanes.v[i];

		put_task(q, g, l->task, p->to_ns - 1);
		fprintf(q->out, " %s, path ", words[l->why]);
		question_put_time(q, l->path_ns);
		fprintf(q->out, ", wakes %u, spans %zu\n", l->wakes, l->spans.n);
	}
}

void ask_spans(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_picture) struct picture *p = picture_of(q, g);
	uint32_t i = picture_lane(p, question_task(q, g, q->w->to_ns));

	for (size_t k = 0; i != GRAPH_NONE && k < p->lanes.v[i].spans.n; k++) {
		const struct lane *l = &p->lanes.v[i];
		const struct span *s = &l->spans.v[k];

		put_range(q, s->from_ns, s->to_ns);
		fprintf(q->out, " %s%s", time_kind_name((enum time_kind)s->time), s->kept ? " kept" : "");
		if (s->blame != GRAPH_NONE && l->blames.v[s->blame].task != GRAPH_NONE) {
			fputs(" by ", q->out);
			put_task(q, g, l->blames.v[s->blame].task, s->to_ns);
		}
		fputc('\n', q->out);
	}
}

void ask_stretches(struct question *q)
{
	_cleanup_(question_free_graph) struct graph *g = question_graph(q);
	_cleanup_(free_picture) struct picture *p = picture_of(q, g);

	for (size_t i = 0; p && i < p->gaps.n; i++) {
		put_range(q, p->gaps.v[i].from_ns, p->gaps.v[i].to_ns);
		fprintf(q->out, " gaps %u, records %llu\n", p->gaps.v[i].n,
			(unsigned long long)p->gaps.v[i].records);
	}
	for (size_t i = 0; p && i < p->lacking.n; i++) {
		put_range(q, p->lacking.v[i].from_ns, p->lacking.v[i].to_ns);
		fprintf(q->out, " lacks %#x\n", p->lacking.v[i].lacks);
	}
}
