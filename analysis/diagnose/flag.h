/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flag.h - private to analysis/: the variable in memory that a task polls, and the task that writes it.
 * CT_POLLED (found by the daemon) and CT_ACCESS (recorded by a watch) tell.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_FLAG_H
#define CTRACE_ANALYSIS_DIAGNOSE_FLAG_H

#include "trace/words/words.h"
#include "graph/timeline/graph.h"

struct flag {
	uint64_t obj;    /* the variable, 0 not known */
	bool spin;       /* it is polled without a system call */
	bool watched;    /* there are records of who wrote it */
	uint32_t writer; /* the task whose write ended the polling, else the last writer before; GRAPH_NONE */
	uint32_t event;  /* that write */
	bool ended;      /* that write ended the polling */
	enum edge_strength strength;
	uint64_t since_ns; /* from here to until_ns the writer did something else than write */
	uint64_t until_ns;
};

/* The variable that task polls in [from, to). */
struct flag flag_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Adds the command that watches a variable: "ctrace watch --pid 12 --var flag". */
void flag_command(const struct graph *g, uint32_t pid, uint64_t obj, struct words *t);

#endif
