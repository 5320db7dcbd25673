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
