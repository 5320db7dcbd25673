// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/tables.h"

#include "analysis/jobs/queues.h"
#include "analysis/requests/services.h"
#include "report/jobs_behind.h"
#include "report/quantiles.h"
#include "report/text.h"

static json_t *service_json(const struct service *s)
{
	return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o}", "name", text_json(s->name), "address",
			 text_json(s->address), "count", (json_int_t)s->count, "unanswered",
			 (json_int_t)s->n_open, "latency_ns", render_json_quantiles(&s->latency), "reason",
			 s->n_reasons ? text_json(s->reasons[0].text) : json_null());
}

json_t *view_services(const struct graph *g, uint64_t from_ns, uint64_t to_ns, size_t *ret_more)
{
	json_t *rows = json_array();
	struct services *all;

	*ret_more = 0;
	if (services_find(g, from_ns, to_ns, NULL, &all)) {
		json_decref(rows);
		return NULL;
	}
	for (size_t i = 0; i < all->n; i++) {
		const struct service *s = &all->v[i];

		/* the same services as in the text of `ctrace requests` */
		if (!s->count && (!s->n_open || s->is_pair))
			continue;
		if (json_array_size(rows) == VIEW_TABLE_ROWS)
			++*ret_more;
		else
			json_array_append_new(rows, service_json(s));
	}
	services_free(all);
	return rows;
}

static json_t *queue_json(const struct graph *g, const struct queue *q)
{
	char name[DESCRIBE_MAX];

	return json_pack("{s:o, s:I, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "comm", text_json(queue_comm(g, q)),
			 "pid", (json_int_t)g->tasks[q->task].tgid, "name",
			 text_json(queue_words(g, q, name)), "count", (json_int_t)q->times.count, "waiting",
			 (json_int_t)q->n_waiting, "running", (json_int_t)q->n_running, "queueing_ns",
			 render_json_quantiles(&q->times.queueing), "execution_ns",
			 render_json_quantiles(&q->times.execution), "text", text_json(q->text));
}

json_t *view_queues(const struct graph *g, uint64_t from_ns, uint64_t to_ns, size_t *ret_more)
{
	json_t *rows = json_array();
	struct queues *all;

	*ret_more = 0;
	if (queues_find(g, from_ns, to_ns, &all)) {
		json_decref(rows);
		return NULL;
	}
	for (size_t i = 0; i < all->n && i < VIEW_TABLE_ROWS; i++)
		json_array_append_new(rows, queue_json(g, &all->v[i]));
	if (all->n > VIEW_TABLE_ROWS)
		*ret_more = all->n - VIEW_TABLE_ROWS;
	queues_free(all);
	return rows;
}
