/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flag.h - private to analysis/: finds the variable in memory that a task polls, and the task that
 * writes it. The evidence is the records CT_POLLED (from inspections) and CT_ACCESS (from
 * watchpoints). Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_FLAG_H
#define CTRACE_ANALYSIS_CONTENTION_FLAG_H

#include "trace/words/words.h"
#include "graph/timeline/graph.h"

struct flag {
	uint64_t obj;    /* the variable; 0: not known */
	bool spin;       /* the task polls the variable and does not sleep in between */
	bool watched;    /* a watchpoint has recorded accesses to the variable */
	uint32_t writer; /* the other task that wrote the variable last; GRAPH_NONE: none */
	uint32_t event;  /* the record of the writer's last write; GRAPH_NONE: none */
	bool ended;      /* the write `event` ended the polling */
	enum edge_strength strength;
	/* The time in which the polling task waited for the writer. If `ended` is true, this time
	 * ends at the write `event`. It begins at the last write, by any task, that came more than
	 * FLAG_TOGETHER_NS before `event`. If `ended` is false, this time begins at the write
	 * `event`, and ends at the end of the range. It never begins before the range. */
	uint64_t since_ns;
	uint64_t until_ns;
};

/* Finds the variable that the task polls in [from, to), and the task that writes it. */
struct flag flag_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Adds the command that watches a variable. Example: "ctrace watch --pid 12 --var flag". */
void flag_command(const struct graph *g, uint32_t pid, uint64_t obj, struct words *t);

#endif
