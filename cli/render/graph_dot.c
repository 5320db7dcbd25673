// SPDX-License-Identifier: GPL-2.0-or-later
/* graph_dot.c - the picture of a graph: a box for each process, a column for each task; time goes
 * down. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/render/causal.h"
#include "cli/render/cgroup_name.h"
#include "cli/text.h"
#include "cli/input/timearg.h"
#include "lib/utf8.h"
#include "trace/words/describe.h"

#define OBJECT_SHOWN 40

static void put_escaped(FILE *f, const char *s, size_t max)
{
	size_t n = 0, len;

	for (; s[n]; n += len) {
		len = utf8_len(s + n);
		if (!len)
			break;
		if (n + len > max) {
			fputs("...", f);
			break;
		}
		if (s[n] == '"' || s[n] == '\\')
			putc('\\', f);
		fwrite(s + n, 1, len, f);
	}
}

const char *render_who(const struct causal *c, uint32_t segment, char buf[RENDER_WHO_MAX])
{
	const struct segment *s = &c->segments[segment];
	struct cgroup_name p = graph_place(c->g, s->task, s->to_ns - 1);
	char comm[64], at[CGROUP_NAME_MAX + 1];

	describe_clean(graph_comm(c->g, s->task, s->to_ns - 1), comm, sizeof(comm));
	snprintf(buf, RENDER_WHO_MAX, "%s[%" PRIu32 "]%s", comm, c->g->tasks[s->task].tid, render_at(&p, at));
	return buf;
}

const char *render_outside(const struct edge *e)
{
	if (e->kind == EDGE_TIMER)
		return "a timer";
	if (e->kind == EDGE_MESSAGE)
		return "the network";
	if (e->kind == EDGE_IRQ || e->kind == EDGE_DISK)
		return "a device";
	return "something that was not recorded";
}

static void put_segment(FILE *f, const struct causal *c, uint32_t i)
{
	const struct segment *s = &c->segments[i];
	char who[RENDER_WHO_MAX], wall[TIMEARG_WALL_MAX], ns[TEXT_NUMBER_MAX], comm[64];

	fprintf(f, "    s%" PRIu32 " [group=\"t%" PRIu32 "\", label=\"", i, s->task);
	put_escaped(f, render_who(c, i, who), sizeof(who));
	fprintf(f, "\\n%s  %s\\n%s", timearg_time(s->from_ns, &c->g->w->offsets, 3, wall),
		text_duration(s->to_ns - s->from_ns, ns), cut_rule_name((enum cut_rule)s->cut));
	if (s->behalf != GRAPH_NONE) {
		describe_clean(graph_comm(c->g, s->behalf, s->from_ns), comm, sizeof(comm));
		fputs(", for ", f);
		put_escaped(f, comm, sizeof(comm));
		fprintf(f, "[%" PRIu32 "]", c->g->tasks[s->behalf].tid);
	}
	fputs("\"];\n", f);
}

struct row {
	const struct causal *c;
	uint32_t segment;
};

/* Segments have numbers in the order of task and time. */
static int by_process(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint32_t p = x->c->g->tasks[x->c->segments[x->segment].task].tgid;
	uint32_t q = y->c->g->tasks[y->c->segments[y->segment].task].tgid;

	if (p != q)
		return p < q ? -1 : 1;
	return x->segment < y->segment ? -1 : x->segment > y->segment;
}

static void put_cluster_label(FILE *f, const struct causal *c, const struct segment *s, uint32_t tgid)
{
	uint32_t main = graph_task_at(c->g, tgid, s->from_ns);
	char comm[64];

	describe_clean(graph_comm(c->g, main == GRAPH_NONE ? s->task : main, s->to_ns - 1), comm,
		       sizeof(comm));
	fputs("    label=\"", f);
	put_escaped(f, comm, sizeof(comm));
	fprintf(f, " (pid %" PRIu32 ")\";\n", tgid);
}

static void put_clusters(FILE *f, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n;) {
		const struct causal *c = rows[i].c;
		const struct segment *s = &c->segments[rows[i].segment];
		uint32_t tgid = c->g->tasks[s->task].tgid;
		size_t first = i;

		fprintf(f, "  subgraph cluster_%" PRIu32 " {\n", tgid);
		put_cluster_label(f, c, s, tgid);
		for (; i < n && c->g->tasks[c->segments[rows[i].segment].task].tgid == tgid; i++) {
			put_segment(f, c, rows[i].segment);
			/* an invisible edge keeps the nodes of a task below each other */
			if (i > first &&
			    c->segments[rows[i].segment].task == c->segments[rows[i - 1].segment].task)
				fprintf(f, "    s%" PRIu32 " -> s%" PRIu32 " [style=invis, weight=10];\n",
					rows[i - 1].segment, rows[i].segment);
		}
		fputs("  }\n", f);
	}
}

static const char *edge_style(const struct edge *e)
{
	if (e->kind == EDGE_NEIGHBOUR)
		return "dotted";
	return e->strength == EDGE_STRONG ? "solid" : "dashed";
}

static void put_edge(FILE *f, const struct causal *c, size_t i)
{
	const struct edge *e = &c->edges[i];
	char name[DESCRIBE_MAX] = "";

	if (e->from == GRAPH_NONE) {
		fprintf(f, "  x%zu [shape=plaintext, label=\"%s\"];\n", i, render_outside(e));
		fprintf(f, "  x%zu -> s%" PRIu32, i, e->to);
	} else {
		fprintf(f, "  s%" PRIu32 " -> s%" PRIu32, e->from, e->to);
	}
	if (edge_object(c, e))
		describe_object(c->g->w, edge_object(c, e), name, sizeof(name));
	fprintf(f, " [style=%s, label=\"%s", edge_style(e), edge_kind_name(e->kind));
	if (name[0])
		fputs("\\n", f);
	put_escaped(f, name, OBJECT_SHOWN);
	fprintf(f, "%s\"%s];\n", e->flags & EDGE_FALSE_WAKE ? "\\n(false wake)" : "",
		e->flags & EDGE_FALSE_WAKE ? ", color=gray" : "");
}

int render_graph_dot(FILE *f, const struct graph_pick *pick)
{
	const struct causal *c = pick->c;
	struct row *rows = calloc(pick->n + 1, sizeof(*rows));
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n_segments; i++)
		if (pick->in[i])
			rows[n++] = (struct row){ .c = c, .segment = i };
	qsort(rows, n, sizeof(*rows), by_process);
	fputs("digraph ctrace {\n"
	      "  rankdir=TB;\n  fontname=\"sans-serif\";\n  fontsize=11;\n"
	      "  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
	      "  edge [fontname=\"sans-serif\", fontsize=9];\n",
	      f);
	put_clusters(f, rows, n);
	for (size_t i = 0; i < c->n_edges; i++)
		if (pick->in[c->edges[i].to] &&
		    (c->edges[i].from == GRAPH_NONE || pick->in[c->edges[i].from]))
			put_edge(f, c, i);
	fputs("}\n", f);
	free(rows);
	return 0;
}
