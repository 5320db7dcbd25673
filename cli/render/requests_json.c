// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/requests/shapes.h"
#include "cli/render/requests.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/cgroup_name.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "report/quantiles.h"

static json_int_t mono(const struct requests_view *v, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &v->g->w->offsets);
}

static json_t *number_json(const struct requests_view *v, uint32_t request)
{
	uint32_t number = services_number(v->services, request);

	return number ? json_integer(number) : json_null();
}

json_t *render_json_task(const struct graph *g, uint32_t task, uint64_t ts_ns)
{
	if (task == GRAPH_NONE)
		return json_null();
	return json_pack("{s:I, s:I, s:o}", "pid", (json_int_t)g->tasks[task].tgid, "tid",
			 (json_int_t)g->tasks[task].tid, "comm", text_json(graph_comm(g, task, ts_ns)));
}

json_t *render_json_reasons(const struct service_reason *v, size_t n)
{
	json_t *reasons = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(reasons, json_pack("{s:o, s:s, s:f, s:f}", "text", text_json(v[i].text),
							 "kind", v[i].kind, "share_p50", v[i].share_p50,
							 "share_p99", v[i].share_p99));
	return reasons;
}

static json_t *part_json(const struct requests_view *v, const struct part *part)
{
	_cleanup_free_ char *text = NULL;
	const struct service *s = &v->services->v[v->services->of[part->request]];
	const char *kind;

	if (services_say_part(v->services, part, &text, &kind))
		return NULL;
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:s, s:o}", "from_ns", mono(v, part->from_ns), "to_ns",
			 mono(v, part->to_ns), "service", text_json(s->name), "address",
			 text_json(s->address), "task", render_json_task(v->g, part->task, part->from_ns),
			 "kind", kind, "text", text_json(text));
}

static json_t *slow_json(const struct requests_view *v, uint32_t request)
{
	_cleanup_free_ char *text = services_say_request(v->services, request);
	const struct request *q = &v->services->requests.v[request];
	json_t *path = json_array();
	part_list parts = { 0 };
	int r = parts_of(&v->services->parts, request, &parts);

	for (size_t i = 0; i < parts.n && !r; i++)
		json_array_append_new(path, part_json(v, &parts.v[i]));
	VEC_FREE(&parts);
	return json_pack("{s:o, s:I, s:I, s:o*, s:o, s:o}", "number", number_json(v, request), "from_ns",
			 mono(v, request_from_ns(v->g, q)), "to_ns", mono(v, request_to_ns(v->g, q)), "text",
			 text ? text_json(text) : NULL, "client",
			 render_json_task(v->g, q->client, request_from_ns(v->g, q)), "path", path);
}

static json_t *open_json(const struct requests_view *v, const struct service *s)
{
	const struct request *q;
	uint64_t from_ns;

	if (s->open == GRAPH_NONE)
		return NULL;
	q = &v->services->requests.v[s->open];
	from_ns = request_from_ns(v->g, q);
	return json_pack("{s:o, s:I, s:o}", "number", number_json(v, s->open), "from_ns", mono(v, from_ns),
			 "client", render_json_task(v->g, q->client, from_ns));
}

static json_t *shape_json(const struct requests_view *v, const struct service_shape *x)
{
	_cleanup_free_ char *text = shapes_say(v->services, x);
	json_t *asks = json_array();

	for (size_t i = 0; i < x->n_asks; i++) {
		const struct service *to = &v->services->v[x->asks[i].service];

		json_array_append_new(asks, json_pack("{s:o, s:o, s:o, s:I, s:I}", "name",
						      text_json(to->name), "address", text_json(to->address),
						      "container", text_json(to->container), "least",
						      (json_int_t)x->asks[i].least, "most",
						      (json_int_t)x->asks[i].most));
	}
	return json_pack("{s:o*, s:I, s:o, s:o}", "shape", text ? text_json(text) : NULL, "count",
			 (json_int_t)x->count, "latency_ns", render_json_quantiles(&x->latency), "asks",
			 asks);
}

static json_t *shapes_json(const struct requests_view *v, const struct service *s)
{
	json_t *shapes = json_array();

	for (size_t i = 0; i < s->n_shapes; i++)
		json_array_append_new(shapes, shape_json(v, &s->shapes[i]));
	return shapes;
}

static json_t *service_json(const struct requests_view *v, uint32_t service)
{
	const struct services *all = v->services;
	const struct service *s = &all->v[service];
	json_t *slowest = json_array(), *asks = json_array();
	const char *cmdline = s->task == GRAPH_NONE ? "" : graph_cmdline(v->g, s->task, all->to_ns);
	double seconds = (double)(all->to_ns - all->from_ns) / 1e9;

	for (size_t i = 0; i < s->n_slowest; i++)
		json_array_append_new(slowest, slow_json(v, s->slowest[i]));
	for (size_t i = 0; i < s->n_asks; i++) {
		const struct service *other = &all->v[s->asks[i].service];

		json_array_append_new(
			asks, json_pack("{s:o, s:o, s:o, s:I, s:I, s:o}", "name", text_json(other->name),
					"address", text_json(other->address), "container",
					text_json(other->container), "count", (json_int_t)s->asks[i].count,
					"parent_unknown", (json_int_t)s->asks[i].n_unsure, "latency_ns",
					render_json_quantiles(&s->asks[i].latency)));
	}
	return json_pack(
		"{s:o, s:o, s:o*, s:I, s:o, s:o, s:o*, s:I, s:I, s:o*, s:I, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:I}",
		"name", text_json(s->name), "pid",
		s->task == GRAPH_NONE ? json_null() : json_integer(v->g->tasks[s->task].tgid), "cmdline",
		cmdline[0] ? text_json(cmdline) : NULL, "processes", (json_int_t)s->n_processes, "address",
		text_json(s->address), "container", text_json(s->container), "netns",
		s->netns ? json_integer(s->netns) : NULL, "count", (json_int_t)s->count, "unanswered",
		(json_int_t)s->n_open, "first_unanswered", open_json(v, s), "shared", (json_int_t)s->n_shared,
		"streams", (json_int_t)s->n_streams, "rate", (double)s->count / seconds, "latency_ns",
		render_json_quantiles(&s->latency), "reasons", render_json_reasons(s->reasons, s->n_reasons),
		"slowest", slowest, "asks", asks, "shapes", shapes_json(v, s), "more_shapes",
		(json_int_t)(s->n_all_shapes - s->n_shapes));
}

int render_requests_json(const struct requests_view *v)
{
	const struct services *s = v->services;
	json_t *services = json_array();
	size_t limit = v->limit ? v->limit : s->n;

	for (uint32_t i = 0; i < s->n && json_array_size(services) < limit; i++)
		if (s->v[i].count || s->v[i].n_open)
			json_array_append_new(services, service_json(v, i));
	return text_print_json(json_pack("{s:s, s:I, s:I, s:b, s:o}", "schema", "ctrace.requests/1",
					 "from_ns", mono(v, s->from_ns), "to_ns", mono(v, s->to_ns),
					 "lower_bound", (int)!!(s->lacks & CT_LACK_MESSAGES), "services",
					 services));
}

static json_t *request_json(const struct requests_view *v, uint32_t request)
{
	const struct request *q = &v->services->requests.v[request];
	const struct service *s = &v->services->v[v->services->of[request]];
	uint64_t from_ns = request_from_ns(v->g, q);
	bool answered = q->answered != GRAPH_NONE;
	char connection[DESCRIBE_MAX];

	describe_object(v->g->w, q->sock, connection, sizeof(connection));
	return json_pack("{s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:b, s:b}", "id",
			 (json_int_t)request, "service", text_json(s->name), "address", text_json(s->address),
			 "connection", text_json(connection), "from_ns", mono(v, from_ns), "to_ns",
			 answered ? json_integer(mono(v, request_to_ns(v->g, q))) : json_null(), "parent",
			 q->parent == GRAPH_NONE ? json_null() : json_integer(q->parent), "parent_unknown",
			 (int)q->unsure, "client", render_json_task(v->g, q->client, from_ns), "server",
			 render_json_task(v->g, q->server, from_ns), "asked_bytes",
			 q->stream ? json_null() : json_integer(q->asked_bytes), "answer_bytes",
			 q->stream ? json_null() : json_integer(q->answer_bytes), "shared", (int)q->shared,
			 "stream", (int)q->stream);
}

int render_requests_list(FILE *f, const struct requests_view *v)
{
	for (uint32_t i = 0; i < v->services->requests.n; i++) {
		_cleanup_free_ char *line = NULL;
		json_t *o;

		if (!services_counts(v->services, i))
			continue;
		o = request_json(v, i);
		line = o ? json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
		json_decref(o);
		if (!line)
			return cli_error("out of memory");
		fprintf(f, "%s\n", line);
	}
	return CLI_OK;
}
