// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chrome.c - the Trace Event Format of Chrome (JSON), which chrome://tracing and Perfetto read. Times
 * are in microseconds of CLOCK_MONOTONIC, with three decimals. The critical path is the process 0.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/export/export.h"
#include "cli/text.h"
#include "lib/cleanup.h"
#include "trace/words/describe.h"

/* The pid of the tracks of requests and jobs: larger than each pid of Linux. */
#define SPANS_PID 4194305u

struct chrome {
	const struct export *x;
	FILE *f;
	bool *named; /* [task]: its names are written */
	bool begun;
	uint64_t flows;
};

static void put_us(FILE *f, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	fprintf(f, "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", n / 1000, (unsigned)(n % 1000));
}

static void put_time(const struct chrome *k, uint64_t ns)
{
	put_us(k->f, clock_mono_ns(ns, &k->x->g->w->offsets));
}

static void begin_event(struct chrome *k)
{
	fputs(k->begun ? ",\n{" : "\n{", k->f);
	k->begun = true;
}

static void put_meta(struct chrome *k, const char *what, uint32_t pid, uint32_t tid, const char *name)
{
	begin_event(k);
	fprintf(k->f, "\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what, pid,
		tid);
	text_put_json(k->f, name);
	fputs("}}", k->f);
}

static void put_names(struct chrome *k, uint32_t task)
{
	const struct graph_task *t = &k->x->g->tasks[task];
	uint32_t leader = graph_task_at(k->x->g, t->tgid, MIN(t->exit_ns, k->x->to_ns) - 1);
	char name[EXPORT_NAME_MAX];

	if (k->named[task])
		return;
	k->named[task] = true;
	put_meta(k, "process_name", t->tgid, t->tid,
		 export_last_name(k->x, leader == GRAPH_NONE ? task : leader, name));
	put_meta(k, "thread_name", t->tgid, t->tid, export_last_name(k->x, task, name));
}

/* Begins an event of the kind that Chrome calls "complete". The caller adds members, and closes the
 * object. */
static void begin_slice(struct chrome *k, const char *category, uint32_t pid, uint32_t tid, uint64_t from_ns,
			uint64_t to_ns)
{
	begin_event(k);
	fprintf(k->f, "\"ph\":\"X\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":", category, pid, tid);
	put_time(k, from_ns);
	fputs(",\"dur\":", k->f);
	put_us(k->f, (int64_t)(to_ns - from_ns));
}

static void put_arg(FILE *f, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	fprintf(f, ",\"%s\":", name);
	text_put_json(f, value);
}

/* Adds the arguments that describe a wait. "edge" tells why the task b->task is to blame. */
static void put_wait(const struct chrome *k, const struct blame *b, uint64_t ts_ns)
{
	const struct graph *g = k->x->g;
	char object[DESCRIBE_MAX], who[EXPORT_NAME_MAX];

	describe_object(g->w, b->obj, object, sizeof(object));
	put_arg(k->f, "resource", resource_kind_word(b->kind));
	put_arg(k->f, "object", object);
	if (b->task == GRAPH_NONE)
		return;
	put_arg(k->f, "for", export_who(g, b->task, ts_ns, who));
	put_arg(k->f, "edge", edge_kind_name(b->edge));
	put_arg(k->f, "strength", edge_strength_name(b->strength));
}

static void put_item(void *arg, const struct export_item *item)
{
	struct chrome *k = arg;
	const struct graph_task *t = &k->x->g->tasks[item->s->task];

	put_names(k, item->s->task);
	begin_slice(k, item->state, t->tgid, t->tid, item->from_ns, item->to_ns);
	fprintf(k->f, ",\"name\":\"%s\",\"args\":{\"state\":\"%s\"", item->time, item->state);
	if (item->cpu != FORMAT_CPU_NONE)
		fprintf(k->f, ",\"cpu\":%u", item->cpu);
	if (item->blocked) {
		put_arg(k->f, "call", describe_syscall(k->x->g->w->machine, item->s->nr));
		put_wait(k, &item->blame, item->to_ns);
	}
	if (item->s->state == INTERVAL_FOLDED)
		fprintf(k->f,
			",\"running_ns\":%" PRIu64 ",\"runnable_ns\":%" PRIu64 ",\"waiting_ns\":%" PRIu64,
			item->running_ns, item->runnable_ns, item->waiting_ns);
	fputs("}}", k->f);
}

static void put_end_event(struct chrome *k, const char *phase, const struct export_edge *edge, uint32_t task,
			  uint64_t ns)
{
	const struct graph_task *t = &k->x->g->tasks[task];

	begin_event(k);
	fprintf(k->f, "\"ph\":%s,\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":", phase,
		edge_strength_name(edge->e->strength), edge_kind_name(edge->e->kind), t->tgid, t->tid);
	put_time(k, ns);
}

/*
 * Each end of an arrow is an event of type "instant", and the end of a flow that binds to it. Perfetto
 * binds the flow to the last event of the thread. Without the instant, that would be an interval: if
 * the interval of the effect began first, the arrow would point back to the cause.
 */
static void put_end(struct chrome *k, const char *phase, const struct export_edge *edge, uint32_t task,
		    uint64_t ns)
{
	put_names(k, task);
	put_end_event(k, "\"i\",\"s\":\"t\"", edge, task, ns);
	putc('}', k->f);
	put_end_event(k, phase, edge, task, ns);
	fprintf(k->f, ",\"id\":%" PRIu64 "}", k->flows);
}

static void put_edge(void *arg, const struct export_edge *edge)
{
	struct chrome *k = arg;

	if (!export_is_arrow(k->x, edge))
		return;
	k->flows++;
	/* a send is recorded when its call returns, perhaps after the receive */
	put_end(k, "\"s\"", edge, edge->from, MIN(edge->left_ns, edge->arrived_ns));
	put_end(k, "\"f\",\"bp\":\"e\"", edge, edge->to, edge->arrived_ns);
}

static void put_piece(struct chrome *k, const struct path_piece *piece)
{
	const struct path *p = k->x->path;
	const struct path_frame *frame = &p->frames[piece->frame];
	char who[EXPORT_NAME_MAX];

	begin_slice(k, "path", 0, 0, piece->from_ns, piece->to_ns);
	fputs(",\"name\":", k->f);
	text_put_json(k->f, export_who(k->x->g, frame->task, piece->from_ns, who));
	fprintf(k->f, ",\"args\":{\"state\":\"%s\",\"depth\":%u", time_kind_name((enum time_kind)piece->time),
		frame->depth);
	if (frame->depth)
		put_arg(k->f, "reason", edge_kind_name(frame->blame.edge));
	if (piece->blame != GRAPH_NONE)
		put_wait(k, &p->leaf_blames[piece->blame], piece->to_ns);
	fputs("}}", k->f);
}

static void put_path(struct chrome *k)
{
	char title[EXPORT_TITLE_MAX];

	put_meta(k, "process_name", 0, 0, export_path_title(k->x, title));
	put_meta(k, "thread_name", 0, 0, "critical path");
	begin_event(k);
	fputs("\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":0,\"tid\":0,\"args\":{\"sort_index\":-1}}",
	      k->f);
	for (size_t i = 0; i < k->x->path->n_pieces && !export_stopped(k->x); i++)
		put_piece(k, &k->x->path->pieces[i]);
}

static void put_span(void *arg, const struct export_span *span)
{
	struct chrome *k = arg;
	char who[EXPORT_NAME_MAX];

	if (span->first) {
		put_meta(k, "process_name", SPANS_PID, span->track, "requests and jobs");
		put_meta(k, "thread_name", SPANS_PID, span->track, span->title);
	}
	begin_slice(k, span->category, SPANS_PID, span->track, span->from_ns, span->to_ns);
	fputs(",\"name\":", k->f);
	text_put_json(k->f, span->name);
	fprintf(k->f, ",\"args\":{\"queueing_ns\":%" PRIu64, span->queueing_ns);
	if (span->by != GRAPH_NONE)
		put_arg(k->f, "by", export_who(k->x->g, span->by, span->from_ns, who));
	if (span->to != GRAPH_NONE)
		put_arg(k->f, "for", export_who(k->x->g, span->to, span->to_ns - 1, who));
	if (!span->ended)
		put_arg(k->f, "end", "not seen");
	fputs("}}", k->f);
}

int export_chrome(const struct export *x)
{
	_cleanup_free_ bool *named = calloc(x->g->n_tasks + 1, sizeof(*named));
	struct chrome k = { .x = x, .f = x->f, .named = named };
	int r;

	if (!named)
		return cli_error("out of memory");
	fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"ctrace\",\"clock\":\"CLOCK_MONOTONIC\"},\n\"traceEvents\":[",
	      x->f);
	if (x->path)
		put_path(&k);
	export_items(x, put_item, &k);
	export_edges(x, put_edge, &k);
	r = export_spans(x, put_span, &k);
	fputs("\n]}\n", x->f);
	return r ? export_spans_failed(r) : CLI_OK;
}
