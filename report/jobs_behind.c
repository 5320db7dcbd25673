// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/jobs_behind.h"

#include "analysis/jobs/behind.h"
#include "report/text.h"

const char *queue_words(const struct graph *g, const struct queue *q, char buf[DESCRIBE_MAX])
{
	if (q->obj)
		describe_object(g->w, q->obj, buf, DESCRIBE_MAX);
	else
		snprintf(buf, DESCRIBE_MAX, "pool");
	return buf;
}

int render_jobs_behind_json(const struct graph *g, const struct diagnosis *d, json_t **ret)
{
	json_t *rows = NULL;
	struct queues *q;
	int r = behind_find(g, d, &q);

	if (r)
		return r;
	if (q->n)
		rows = json_array();
	for (size_t i = 0; i < q->n; i++) {
		const struct queue *x = &q->v[i];
		char name[DESCRIBE_MAX];

		json_array_append_new(rows,
				      json_pack("{s:o, s:{s:I, s:o}, s:s, s:o}", "name",
						text_json(queue_words(g, x, name)), "process", "pid",
						(json_int_t)g->tasks[x->task].tgid, "comm",
						text_json(queue_comm(g, x)), "verdict",
						queue_verdict_name(x->verdict), "text", text_json(x->text)));
	}
	queues_free(q);
	*ret = rows;
	return 0;
}
