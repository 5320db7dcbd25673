// SPDX-License-Identifier: GPL-2.0-or-later
/* graph_dot.c - the picture of a graph: a box for each process, a column for each task; time goes
 * down. A node is a segment, or several segments in a row that only a timer began (a fold). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/render/causal.h"
#include "report/cgroup_name.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "lib/utf8.h"
#include "report/walltime.h"
#include "trace/words/describe.h"

#define OBJECT_SHOWN 40

#define LEGEND                                                                                               \
	"Green: runs. Yellow: waits for a CPU. Red: waits. Grey: idle. White: unknown.\\n"                   \
	"Solid edge: certain. Dashed edge: inferred, likely; or if grey: inferred. Dotted edge: the same task goes on."

struct picture {
	const struct graph_pick *pick;
	uint32_t *node; /* [segment]: the first segment of its node */
};

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

static bool is_shown(const struct picture *p, const struct edge *e)
{
	return p->pick->in[e->to] && (e->from == GRAPH_NONE || p->pick->in[e->from]);
}

static bool is_timer(const struct edge *e)
{
	return e->kind == EDGE_TIMER && e->from == GRAPH_NONE;
}

static bool is_after_timer(const struct causal *c, uint32_t i)
{
	const struct segment *s = &c->segments[i];

	for (uint32_t k = s->in; k < s->in + s->n_in; k++)
		if (is_timer(&c->edges[k]))
			return true;
	return false;
}

/* Returns true if a timer began the segment, and all its other shown edges connect it with segments of its
 * own task. */
static bool is_timer_only(const struct picture *p, uint32_t i)
{
	const struct causal *c = p->pick->c;
	const struct segment *s = &c->segments[i];

	for (uint32_t k = s->in; k < s->in + s->n_in; k++) {
		const struct edge *e = &c->edges[k];

		if (is_shown(p, e) && !is_timer(e) && e->kind != EDGE_NEIGHBOUR)
			return false;
	}
	for (uint32_t k = c->out_first[i]; k < c->out_first[i + 1]; k++) {
		const struct edge *e = &c->edges[c->out[k]];

		if (is_shown(p, e) && e->kind != EDGE_NEIGHBOUR)
			return false;
	}
	return is_after_timer(c, i);
}

static void find_nodes(struct picture *p)
{
	const struct causal *c = p->pick->c;
	bool before = false;

	for (uint32_t i = 0; i < c->n_segments; i++) {
		bool timer = p->pick->in[i] && is_timer_only(p, i);

		p->node[i] = timer && before && c->segments[i].task == c->segments[i - 1].task
				     ? p->node[i - 1]
				     : i;
		before = timer;
	}
}

struct times {
	uint64_t ran_ns, queued_ns, waited_ns, idle_ns, unknown_ns;
	uint64_t longest_ns;
	uint64_t object; /* of the longest wait */
};

/* A segment includes the idle wait after its work. */
static bool is_idle_end(const struct causal *c, uint32_t i, const struct interval *v)
{
	return v->to_ns >= c->segments[i].to_ns && i + 1 < c->n_segments &&
	       c->segments[i + 1].task == c->segments[i].task && c->segments[i + 1].cut == CUT_IDLE;
}

static void add_interval(struct times *t, const struct interval *v, uint64_t ns, bool idle)
{
	switch ((enum interval_state)v->state) {
	case INTERVAL_RUNNING:
	case INTERVAL_FOLDED:
		t->ran_ns += ns;
		break;
	case INTERVAL_RUNNABLE:
		t->queued_ns += ns;
		break;
	case INTERVAL_BLOCKED:
		*(idle ? &t->idle_ns : &t->waited_ns) += ns;
		if (!idle && ns > t->longest_ns) {
			t->longest_ns = ns;
			t->object = v->obj;
		}
		break;
	case INTERVAL_UNKNOWN:
		t->unknown_ns += ns;
		break;
	}
}

static void add_times(struct times *t, const struct causal *c, uint32_t i)
{
	const struct segment *s = &c->segments[i];
	const struct graph_task *task = &c->g->tasks[s->task];
	uint32_t k = graph_interval_at(c->g, s->task, s->from_ns),
		 end = task->first_interval + task->n_intervals;

	for (; k < end && c->g->intervals[k].from_ns < s->to_ns; k++) {
		const struct interval *v = &c->g->intervals[k];
		uint64_t from_ns = MAX(v->from_ns, s->from_ns), to_ns = MIN(v->to_ns, s->to_ns);

		add_interval(t, v, to_ns - from_ns, is_idle_end(c, i, v));
	}
}

static const char *colour(const struct times *t)
{
	uint64_t known_ns = t->ran_ns + t->queued_ns + t->waited_ns;

	if (t->unknown_ns > known_ns)
		return "#ffffff";
	if (!known_ns)
		return "#eeeeee";
	if (t->waited_ns >= t->ran_ns && t->waited_ns >= t->queued_ns)
		return "#f8d0d0";
	return t->ran_ns >= t->queued_ns ? "#d5f0d5" : "#fff0c0";
}

static void put_times(FILE *f, const struct causal *c, const struct times *t)
{
	const struct {
		const char *word;
		uint64_t ns;
	} parts[] = { { "ran", t->ran_ns },
		      { "queued for a CPU", t->queued_ns },
		      { "waited", t->waited_ns },
		      { "unknown", t->unknown_ns },
		      { "then idle", t->idle_ns } };
	char ns[TEXT_NUMBER_MAX], name[DESCRIBE_MAX] = "";
	const char *comma = "";

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].ns)
			continue;
		fprintf(f, "%s%s %s", comma, parts[i].word, text_duration(parts[i].ns, ns));
		comma = ", ";
	}
	if (t->object)
		describe_object(c->g->w, t->object, name, sizeof(name));
	if (name[0])
		fputs("\\nwaited for ", f);
	put_escaped(f, name, OBJECT_SHOWN);
}

static void put_node(FILE *f, const struct causal *c, uint32_t first, uint32_t last)
{
	const struct segment *s = &c->segments[first];
	char who[RENDER_WHO_MAX], wall[WALLTIME_MAX], ns[TEXT_NUMBER_MAX], comm[64];
	struct times times = { 0 };

	for (uint32_t i = first; i <= last; i++)
		add_times(&times, c, i);
	fprintf(f,
		"    s%" PRIu32 " [group=\"t%" PRIu32 "\", fillcolor=\"%s\", comment=\"%" PRIu32 "-%" PRIu32
		"\", label=\"",
		first, s->task, colour(&times), first, last);
	put_escaped(f, render_who(c, last, who), sizeof(who));
	fprintf(f, "\\n%s  %s\\n", walltime_clock(s->from_ns, &c->g->w->offsets, 3, wall),
		text_duration(c->segments[last].to_ns - s->from_ns, ns));
	if (last > first)
		fprintf(f, "%" PRIu32 " times, each after a timer\\n", last - first + 1);
	else if (is_after_timer(c, first))
		fputs("after a timer\\n", f);
	put_times(f, c, &times);
	if (s->behalf != GRAPH_NONE) {
		describe_clean(graph_comm(c->g, s->behalf, s->from_ns), comm, sizeof(comm));
		fputs("\\nfor ", f);
		put_escaped(f, comm, sizeof(comm));
		fprintf(f, "[%" PRIu32 "]", c->g->tasks[s->behalf].tid);
	}
	fputs("\"];\n", f);
}

struct row {
	const struct causal *c;
	uint32_t first, last; /* segments of a node */
};

/* Segments have numbers in the order of task and time. */
static int by_process(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	uint32_t p = x->c->g->tasks[x->c->segments[x->first].task].tgid;
	uint32_t q = y->c->g->tasks[y->c->segments[y->first].task].tgid;

	if (p != q)
		return p < q ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
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
		const struct segment *s = &c->segments[rows[i].first];
		uint32_t tgid = c->g->tasks[s->task].tgid;
		size_t first = i;

		fprintf(f, "  subgraph cluster_%" PRIu32 " {\n", tgid);
		put_cluster_label(f, c, s, tgid);
		for (; i < n && c->g->tasks[c->segments[rows[i].first].task].tgid == tgid; i++) {
			put_node(f, c, rows[i].first, rows[i].last);
			/* an invisible edge keeps the nodes of a task below each other */
			if (i > first &&
			    c->segments[rows[i].first].task == c->segments[rows[i - 1].first].task)
				fprintf(f, "    s%" PRIu32 " -> s%" PRIu32 " [style=invis, weight=10];\n",
					rows[i - 1].first, rows[i].first);
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

static void put_edge(FILE *f, const struct picture *p, size_t i)
{
	const struct causal *c = p->pick->c;
	const struct edge *e = &c->edges[i];
	bool grey = e->strength == EDGE_WEAK || e->flags & EDGE_FALSE_WAKE;
	char name[DESCRIBE_MAX] = "";

	if (e->from == GRAPH_NONE) {
		fprintf(f, "  x%zu [shape=plaintext, style=\"\", label=\"%s\"];\n", i, render_outside(e));
		fprintf(f, "  x%zu -> s%" PRIu32, i, p->node[e->to]);
	} else {
		fprintf(f, "  s%" PRIu32 " -> s%" PRIu32, p->node[e->from], p->node[e->to]);
	}
	if (edge_object(c, e))
		describe_object(c->g->w, edge_object(c, e), name, sizeof(name));
	fprintf(f, " [style=%s, label=\"%s", edge_style(e), edge_kind_name(e->kind));
	if (name[0])
		fputs("\\n", f);
	put_escaped(f, name, OBJECT_SHOWN);
	fprintf(f, "%s\"%s];\n", e->flags & EDGE_FALSE_WAKE ? "\\n(false wake)" : "",
		grey ? ", color=gray, fontcolor=gray40" : "");
}

static void put_edges(FILE *f, const struct picture *p)
{
	const struct causal *c = p->pick->c;

	for (size_t i = 0; i < c->n_edges; i++) {
		const struct edge *e = &c->edges[i];
		bool inside = e->from != GRAPH_NONE && p->node[e->from] == p->node[e->to];

		/* the edge of a timer is not drawn: put_node() writes "after a timer" into the node */
		if (is_shown(p, e) && !inside && !is_timer(e))
			put_edge(f, p, i);
	}
}

static size_t find_rows(const struct picture *p, struct row *rows)
{
	const struct causal *c = p->pick->c;
	size_t n = 0;

	for (uint32_t i = 0; i < c->n_segments; i++) {
		if (!p->pick->in[i])
			continue;
		if (p->node[i] == i)
			rows[n++] = (struct row){ .c = c, .first = i };
		rows[n - 1].last = i;
	}
	qsort(rows, n, sizeof(*rows), by_process);
	return n;
}

int render_graph_dot(FILE *f, const struct graph_pick *pick)
{
	_cleanup_free_ struct row *rows = calloc(pick->n + 1, sizeof(*rows));
	_cleanup_free_ uint32_t *node = calloc(pick->c->n_segments + 1, sizeof(*node));
	struct picture p = { pick, node };

	if (!rows || !node)
		return -ENOMEM;
	find_nodes(&p);
	fputs("digraph ctrace {\n"
	      "  rankdir=TB;\n  fontname=\"sans-serif\";\n  fontsize=11;\n"
	      "  label=\"" LEGEND "\";\n"
	      "  node [shape=box, style=filled, fontname=\"sans-serif\", fontsize=10];\n"
	      "  edge [fontname=\"sans-serif\", fontsize=9];\n",
	      f);
	put_clusters(f, rows, find_rows(&p, rows));
	put_edges(f, &p);
	fputs("}\n", f);
	return 0;
}
