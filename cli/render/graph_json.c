// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/render/causal.h"
#include "report/cgroup_name.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"
#include "trace/words/resource.h"

static int64_t mono(const struct causal *c, uint64_t boot_ns)
{
	return clock_mono_ns(boot_ns, &c->g->w->offsets);
}

static void put_task(FILE *f, const struct causal *c, uint32_t task, uint64_t ts_ns)
{
	const struct graph_task *t = &c->g->tasks[task];
	struct cgroup_name p = graph_place(c->g, task, ts_ns);

	fprintf(f, "\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"comm\":", t->tgid, t->tid);
	text_put_json(f, graph_comm(c->g, task, ts_ns));
	render_put_cgroup_name(f, &p);
}

void render_segment_json(FILE *f, const struct causal *c, uint32_t segment)
{
	const struct segment *s = &c->segments[segment];
	/* a thread gets its name after its start, so the last name counts */
	uint64_t last_ns = s->to_ns - 1;

	fprintf(f, "{\"id\":%" PRIu32 ",", segment);
	put_task(f, c, s->task, last_ns);
	fprintf(f, ",\"from_ns\":%" PRId64 ",\"to_ns\":%" PRId64 ",\"cut\":\"%s\",\"behalf\":",
		mono(c, s->from_ns), mono(c, s->to_ns), cut_rule_name((enum cut_rule)s->cut));
	if (s->behalf == GRAPH_NONE) {
		fputs("null}", f);
		return;
	}
	putc('{', f);
	put_task(f, c, s->behalf, last_ns);
	fputs("}}", f);
}

static void put_flags(FILE *f, uint8_t flags)
{
	static const struct {
		uint8_t flag;
		const char *name;
	} names[] = { { EDGE_FALSE_WAKE, "false-wake" },
		      { EDGE_MANY, "many" },
		      { EDGE_BYTES, "bytes" },
		      { EDGE_ALIKE, "alike" },
		      { EDGE_TOGETHER, "together" } };
	const char *comma = "";

	putc('[', f);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag) {
			fprintf(f, "%s\"%s\"", comma, names[i].name);
			comma = ",";
		}
	putc(']', f);
}

void render_edge_json(FILE *f, const struct causal *c, const struct edge *e, const bool *in)
{
	char name[DESCRIBE_MAX] = "", text[EDGE_EXPLAIN_MAX];
	uint64_t object = edge_object(c, e);

	if (e->from == GRAPH_NONE || (in && !in[e->from]))
		fputs("{\"from\":null", f);
	else
		fprintf(f, "{\"from\":%" PRIu32, e->from);
	fprintf(f,
		",\"to\":%" PRIu32 ",\"kind\":\"%s\",\"strength\":\"%s\",\"left_ns\":%" PRId64
		",\"arrived_ns\":%" PRId64 ",\"object\":{\"kind\":\"%s\",\"name\":",
		e->to, edge_kind_name(e->kind), edge_strength_name(e->strength), mono(c, edge_left_ns(c, e)),
		mono(c, edge_arrived_ns(c, e)), resource_kind_word(resource_of_object(c->g->w, object)));
	describe_object(c->g->w, object, name, sizeof(name));
	text_put_json(f, name);
	fputs("},\"flags\":", f);
	put_flags(f, e->flags);
	edge_explain(c, e, text, sizeof(text));
	fputs(",\"text\":", f);
	text_put_json(f, text);
	putc('}', f);
}

void render_graph_json(FILE *f, const struct graph_pick *pick)
{
	const struct causal *c = pick->c;
	const char *comma = "";

	fprintf(f,
		"{\"schema\":\"ctrace.graph/1\",\"policy\":\"%s\",\"window\":{\"from_ns\":%" PRId64
		",\"to_ns\":%" PRId64 ",\"clock\":\"monotonic\"},\n\"segments\":[",
		causal_policy_name(c->policy), mono(c, pick->from_ns), mono(c, pick->to_ns));
	for (uint32_t i = 0; i < c->n_segments; i++) {
		if (!pick->in[i])
			continue;
		if (cli_output_broken())
			return;
		fprintf(f, "%s\n", comma);
		render_segment_json(f, c, i);
		comma = ",";
	}
	fputs("],\n\"edges\":[", f);
	comma = "";
	for (size_t i = 0; i < c->n_edges; i++) {
		if (!pick->in[c->edges[i].to])
			continue;
		if (cli_output_broken())
			return;
		fprintf(f, "%s\n", comma);
		render_edge_json(f, c, &c->edges[i], pick->in);
		comma = ",";
	}
	fputs("]}\n", f);
}
