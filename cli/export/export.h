/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export.h - writes a part of a trace in the formats of other programs (doc/export.md). One thread.
 *
 * The writers write item by item, and stop early if a write has failed. They return an exit code,
 * and print their errors themselves. The caller that opened `f` checks `f` for errors.
 *
 * Names in a trace may have any bytes. Formats that a person looks at get the shown form of
 * lib/clean.h.
 */
#ifndef CTRACE_CLI_EXPORT_EXPORT_H
#define CTRACE_CLI_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/flame/flame.h"
#include "graph/causal/causal.h"
#include "graph/path/path.h"
#include "trace/read/reader.h"

enum export_table {
	EXPORT_INTERVALS,
	EXPORT_EDGES,
	EXPORT_REQUESTS,
	EXPORT_JOBS,
	EXPORT_TABLES,
};

struct export
{
	FILE *f;
	const struct graph *g;
	const struct causal *c; /* for perfetto, chrome and the table of edges */
	const bool *tasks;      /* [task]: the task is exported */
	uint64_t from_ns, to_ns;
	bool touching; /* the tables and spans have each request of which any part is in the window */
	const struct path *path; /* NULL: none */
	enum flame_kind kind;    /* for folded and speedscope */
	enum export_table table; /* for ndjson and csv */
	bool csv;
	/* for otlp */
	const struct reader_info *trace;
	const struct selector *who; /* the options that chose `tasks` */
	const char *url;            /* sends to this URL, and `f` is NULL; NULL: writes to `f` */
	bool json;
};

int export_perfetto(const struct export *x);
int export_chrome(const struct export *x);
int export_speedscope(const struct export *x);
int export_folded(const struct export *x);
int export_rows(const struct export *x);

/* Shows progress on stderr, if that is a terminal and the export is large (EXPORT_LARGE). */
void export_progress(const struct export *x, const char *what, size_t done, size_t all);
/* Removes the line of the progress. */
void export_progress_end(const struct export *x, size_t all);

/* Builds the tree of all exported tasks. The caller calls flame_done(), also after an error. */
int export_flame(const struct export *x, struct flame *ret);

bool export_stopped(const struct export *x);
/* Returns true if one of the two tasks is exported. Each may be GRAPH_NONE. */
bool export_is_of(const struct export *x, uint32_t a, uint32_t b);

/* One interval of an exported task, cut to the window. */
struct export_item {
	const struct interval *s;
	uint64_t from_ns, to_ns;
	const char *state;
	const char *time; /* time_kind_name() */
	/* The times in each state. All three are 0 if they are not known: for INTERVAL_UNKNOWN, and for
	 * INTERVAL_FOLDED without INTERVAL_SUMS. */
	uint64_t running_ns, runnable_ns, waiting_ns;
	uint32_t cpu; /* FORMAT_CPU_NONE: does not run, or not known */
	bool blocked;
	struct blame blame; /* only if blocked */
};
typedef void (*export_item_fn)(void *arg, const struct export_item *item);
void export_items(const struct export *x, export_item_fn fn, void *arg);

/* An edge whose effect lies in the window. At least one of its two tasks is exported. */
struct export_edge {
	const struct edge *e;
	uint32_t from, to; /* tasks; from may be GRAPH_NONE */
	uint64_t left_ns, arrived_ns;
};
typedef void (*export_edge_fn)(void *arg, const struct export_edge *edge);
void export_edges(const struct export *x, export_edge_fn fn, void *arg);
/* Returns true if export_perfetto() and export_chrome() draw the edge as an arrow: the edge leads
 * from another task, and begins in the window. */
bool export_is_arrow(const struct export *x, const struct export_edge *edge);

/* A request or a job that touches the window, cut to it. One of its two tasks is exported. */
struct export_span {
	const char *category; /* "request" or "job" */
	const char *title;    /* of its track: of which service or queue */
	const char *name;
	uint64_t from_ns, to_ns;
	uint64_t queueing_ns; /* of a job: how long it was in the queue; it ran for the rest */
	uint32_t track;       /* spans on one track do not overlap */
	uint32_t by, to;      /* the client or enqueuer, and the server or worker; may be GRAPH_NONE */
	bool first;           /* the first span on its track */
	bool ended; /* false: it has no answer, or has not ended; then to_ns is the end of the window */
};
#define EXPORT_SPAN_MAX 512
typedef void (*export_span_fn)(void *arg, const struct export_span *span);
/* Calls fn in order of span.from_ns. Returns 0, or -errno as services_count(). */
int export_spans(const struct export *x, export_span_fn fn, void *arg);
/* Prints why export_spans() has returned r. Returns an exit code. */
int export_spans_failed(int r);

/* The name of a task, safe to print. */
#define EXPORT_NAME_MAX (CT_COMM_LEN * 4 + 16)
const char *export_name(const struct graph *g, uint32_t task, uint64_t ts_ns, char buf[EXPORT_NAME_MAX]);
const char *export_last_name(const struct export *x, uint32_t task, char buf[EXPORT_NAME_MAX]);
/* The name and the tid: "sh[12]". */
const char *export_who(const struct graph *g, uint32_t task, uint64_t ts_ns, char buf[EXPORT_NAME_MAX]);
/* "critical path of sh[12]" */
#define EXPORT_TITLE_MAX (EXPORT_NAME_MAX + 24)
const char *export_path_title(const struct export *x, char buf[EXPORT_TITLE_MAX]);

#endif
