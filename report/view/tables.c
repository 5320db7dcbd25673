// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/tables.h"

#include <stdlib.h>

#include "analysis/jobs/queues.h"
#include "analysis/requests/services.h"
#include "lib/cleanup.h"
#include "report/jobs_behind.h"
#include "report/quantiles.h"
#include "report/text.h"

/* One request or job. rank: of those of a task, the page shows the one with the highest rank, and of several
 * with this rank the longest. rank 0: there is none. */
struct piece {
	uint64_t from_ns, to_ns;
	unsigned rank;
	bool ended; /* false: to_ns is the end of the window */
};

/* The part of a task with a lane in a row: whether it sends requests or enqueues jobs (`asks`), and whether
 * it works for requests or runs jobs (`works`). */
struct share {
	bool asks, works;
	struct piece longest;
};

struct table {
	const struct view *v;
	uint32_t *lane_of;    /* task -> lane, or GRAPH_NONE */
	struct share *shares; /* row * lanes.n + lane */
};

static void table_done(struct table *t)
{
	free(t->lane_of);
	free(t->shares);
}
#define _cleanup_table_ _cleanup_(table_done)

/* The caller calls table_done(t), also after an error. Returns 0 or -ENOMEM. */
static int table_init(struct table *t, const struct view *v)
{
	size_t n = v->picture->lanes.n;

	t->v = v;
	t->lane_of = malloc((v->g->n_tasks + 1) * sizeof(*t->lane_of));
	t->shares = calloc(VIEW_TABLE_ROWS * n + 1, sizeof(*t->shares));
	if (!t->lane_of || !t->shares)
		return -ENOMEM;
	for (size_t i = 0; i < v->g->n_tasks; i++)
		t->lane_of[i] = GRAPH_NONE;
	for (uint32_t i = 0; i < n; i++)
		t->lane_of[v->picture->lanes.v[i].task] = i;
	return 0;
}

static struct share *share_of(const struct table *t, size_t row, uint32_t task)
{
	if (task == GRAPH_NONE || t->lane_of[task] == GRAPH_NONE)
		return NULL;
	return &t->shares[row * t->v->picture->lanes.n + t->lane_of[task]];
}

static bool is_longer(const struct piece *a, const struct piece *b)
{
	return a->rank != b->rank ? a->rank > b->rank : a->to_ns - a->from_ns > b->to_ns - b->from_ns;
}

static void note(const struct table *t, size_t row, uint32_t task, bool works, const struct piece *x)
{
	struct share *s = share_of(t, row, task);

	if (!s)
		return;
	s->asks |= !works;
	s->works |= works;
	if (is_longer(x, &s->longest))
		s->longest = *x;
}

static json_int_t in_picture(const struct table *t, uint64_t ns)
{
	return (json_int_t)(ns - t->v->picture->from_ns);
}

static json_t *piece_json(const struct table *t, const struct piece *x)
{
	if (!x->rank)
		return json_null();
	return json_pack("{s:I, s:I, s:b}", "from_ns", in_picture(t, x->from_ns), "to_ns",
			 in_picture(t, x->to_ns), "ended", x->ended);
}

static json_t *tasks_json(const struct table *t, size_t row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < t->v->picture->lanes.n; i++) {
		const struct share *s = &t->shares[row * t->v->picture->lanes.n + i];

		if (s->longest.rank)
			json_array_append_new(list, json_pack("{s:I, s:b, s:b, s:o}", "lane", (json_int_t)i,
							      "asks", s->asks, "works", s->works, "longest",
							      piece_json(t, &s->longest)));
	}
	return list;
}

/* The same services as in the text of `ctrace requests`. */
static bool is_shown(const struct service *s)
{
	return s->count || (s->n_open && !s->is_pair && !service_is_one_way(s));
}

static bool is_awaited(const struct services *all, uint32_t request)
{
	return all->requests.v[request].client != GRAPH_NONE && services_is_awaited(all, request);
}

/* A request without an answer may be one whose client wants no answer, so it comes last. */
static struct piece request_piece(const struct services *all, uint32_t request)
{
	const struct request *q = &all->requests.v[request];
	bool ended = q->answered != GRAPH_NONE;

	return (struct piece){ .from_ns = request_from_ns(all->g, q),
			       .to_ns = ended ? request_to_ns(all->g, q) : MIN(all->to_ns, all->g->w->to_ns),
			       .rank = ended || is_awaited(all, request) ? 2 : 1,
			       .ended = ended };
}

static void note_requests(const struct table *t, const struct services *all, const uint32_t *rows)
{
	const struct requests *r = &all->requests;

	for (uint32_t i = 0; i < r->n; i++) {
		struct piece x = request_piece(all, i);
		size_t row = rows[all->of[i]];

		if (row == GRAPH_NONE || !services_counts(all, i))
			continue;
		note(t, row, r->v[i].client, false, &x);
		note(t, row, r->v[i].server, true, &x);
		note(t, row, r->v[i].answerer, true, &x);
	}
	for (size_t i = 0; i < r->n_works; i++) {
		struct piece x = request_piece(all, r->works[i].request);
		size_t row = rows[all->of[r->works[i].request]];

		if (row != GRAPH_NONE && services_counts(all, r->works[i].request))
			note(t, row, r->works[i].task, true, &x);
	}
}

/* service.open. Its client may be on another host, or not known: then `awaited` is false. */
static json_t *open_json(const struct table *t, const struct services *all, const struct service *s)
{
	struct piece x;
	json_t *open;

	if (s->open == GRAPH_NONE)
		return json_null();
	x = request_piece(all, s->open);
	open = piece_json(t, &x);
	json_object_set_new(open, "awaited", json_boolean(is_awaited(all, s->open)));
	return open;
}

static json_t *service_json(const struct table *t, const struct services *all, const struct service *s,
			    size_t row)
{
	struct piece slowest = { 0 };

	if (s->n_slowest)
		slowest = request_piece(all, s->slowest[0]);
	return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "name", text_json(s->name),
			 "address", text_json(s->address), "count", (json_int_t)s->count, "unanswered",
			 (json_int_t)s->n_open, "latency_ns", render_json_quantiles(&s->latency), "reason",
			 s->n_reasons ? text_json(s->reasons[0].text) : json_null(), "slowest",
			 piece_json(t, &slowest), "open", open_json(t, all, s), "tasks", tasks_json(t, row));
}

static bool in_chain(const struct table *t, uint32_t task)
{
	return task != GRAPH_NONE && t->lane_of[task] != GRAPH_NONE &&
	       t->v->picture->lanes.v[t->lane_of[task]].why == LANE_CHAIN;
}

/* own: [i]: a task of the chain has a part in requests of service i. */
static void find_own(const struct table *t, const struct services *all, bool *own)
{
	const struct requests *r = &all->requests;

	for (uint32_t i = 0; i < r->n; i++)
		own[all->of[i]] |= services_counts(all, i) &&
				   (in_chain(t, r->v[i].client) || in_chain(t, r->v[i].server) ||
				    in_chain(t, r->v[i].answerer));
	for (size_t i = 0; i < r->n_works; i++)
		own[all->of[r->works[i].request]] |=
			services_counts(all, r->works[i].request) && in_chain(t, r->works[i].task);
}

/* Sets rows[i] to the row of service i, or to GRAPH_NONE. The services of the chain come first. Sets
 * *ret_more to the number of the services without a row. */
static void place_services(const struct services *all, const bool *own, uint32_t *rows, size_t *ret_more)
{
	uint32_t n = 0;

	for (int first = 1; first >= 0; first--)
		for (size_t i = 0; i < all->n; i++) {
			if (own[i] != first)
				continue;
			rows[i] = is_shown(&all->v[i]) && n < VIEW_TABLE_ROWS ? n++ : GRAPH_NONE;
			*ret_more += is_shown(&all->v[i]) && rows[i] == GRAPH_NONE;
		}
}

/* rows, own: have room for one element for each service. */
static json_t *services_json(const struct table *t, const struct services *all, uint32_t *rows, bool *own,
			     size_t *ret_more)
{
	json_t *list = json_array();

	find_own(t, all, own);
	place_services(all, own, rows, ret_more);
	note_requests(t, all, rows);
	for (uint32_t row = 0; row < VIEW_TABLE_ROWS; row++)
		for (size_t i = 0; i < all->n; i++)
			if (rows[i] == row)
				json_array_append_new(list, service_json(t, all, &all->v[i], row));
	return list;
}

json_t *view_services(const struct view *v, size_t *ret_more)
{
	_cleanup_table_ struct table t = { 0 };
	_cleanup_free_ uint32_t *rows = NULL;
	_cleanup_free_ bool *own = NULL;
	struct services *all;
	json_t *list = NULL;

	*ret_more = 0;
	if (table_init(&t, v) || services_find(v->g, v->diagnosis->from_ns, v->diagnosis->to_ns, NULL, &all))
		return NULL;
	rows = malloc((all->n + 1) * sizeof(*rows));
	own = calloc(all->n + 1, sizeof(*own));
	if (rows && own)
		list = services_json(&t, all, rows, own, ret_more);
	services_free(all);
	return list;
}

/* A job counts from its enqueue on, or from its start if the enqueue is not recorded. */
static struct piece job_piece(const struct job *j, uint64_t to_ns)
{
	uint64_t from_ns = j->queued_ns ? j->queued_ns : j->start_ns ? j->start_ns : j->end_ns;

	return (struct piece){ .from_ns = from_ns,
			       .to_ns = j->end_ns ? j->end_ns : MAX(to_ns, from_ns),
			       .rank = j->no_starts ? 1 : 2,
			       .ended = j->end_ns };
}

/* Sets *ret to the longest job of the queue. */
static void note_jobs(const struct table *t, const job_list *jobs, const struct queue *q, size_t row,
		      struct piece *ret)
{
	const struct graph *g = t->v->g;

	for (size_t i = 0; i < jobs->n; i++) {
		const struct job *j = &jobs->v[i];
		struct piece x = job_piece(j, MIN(t->v->diagnosis->to_ns, g->w->to_ns));

		if (j->obj != q->obj || j->tgid != g->tasks[q->task].tgid)
			continue;
		note(t, row, j->enqueuer, false, &x);
		note(t, row, j->worker, true, &x);
		if (is_longer(&x, ret))
			*ret = x;
	}
}

static json_t *queue_json(const struct table *t, const job_list *jobs, const struct queue *q, size_t row)
{
	const struct graph *g = t->v->g;
	struct piece slowest = { 0 };
	char name[DESCRIBE_MAX];

	note_jobs(t, jobs, q, row, &slowest);
	return json_pack("{s:o, s:I, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "comm",
			 text_json(queue_comm(g, q)), "pid", (json_int_t)g->tasks[q->task].tgid, "name",
			 text_json(queue_words(g, q, name)), "count", (json_int_t)q->times.count, "waiting",
			 (json_int_t)q->n_waiting, "running", (json_int_t)q->n_running, "queueing_ns",
			 render_json_quantiles(&q->times.queueing), "execution_ns",
			 render_json_quantiles(&q->times.execution), "text", text_json(q->text), "slowest",
			 piece_json(t, &slowest), "tasks", tasks_json(t, row));
}

json_t *view_queues(const struct view *v, size_t *ret_more)
{
	uint64_t from_ns = v->diagnosis->from_ns, to_ns = v->diagnosis->to_ns;
	_cleanup_table_ struct table t = { 0 };
	struct queues *all = NULL;
	job_list jobs = { 0 };
	json_t *rows = NULL;

	*ret_more = 0;
	if (!table_init(&t, v) && !jobs_find(v->g, from_ns, to_ns, &jobs) &&
	    !queues_of_jobs(v->g, &jobs, from_ns, to_ns, &all)) {
		rows = json_array();
		for (size_t i = 0; i < all->n && i < VIEW_TABLE_ROWS; i++)
			json_array_append_new(rows, queue_json(&t, &jobs, &all->v[i], i));
		if (all->n > VIEW_TABLE_ROWS)
			*ret_more = all->n - VIEW_TABLE_ROWS;
	}
	queues_free(all);
	VEC_FREE(&jobs);
	return rows;
}
