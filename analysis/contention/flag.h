/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flag.h - private to analysis/: finds the variable that a task polls, and the task that writes it,
 * from CT_POLLED (inspections) and CT_ACCESS (watchpoints). Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_FLAG_H
#define CTRACE_ANALYSIS_CONTENTION_FLAG_H

#include "trace/words/words.h"
#include "graph/timeline/graph.h"

struct flag {
	uint64_t obj;
	bool spin;
	bool watched;
	uint32_t writer;
	uint32_t event;
	bool ended; /* the write `event` ended the polling */
	enum edge_strength strength;
	/* The polling task waited for the writer from since_ns to until_ns. If `ended` is true, the
	 * write `event` is at until_ns, otherwise at since_ns or before. */
	uint64_t since_ns;
	uint64_t until_ns;
};

struct flag flag_find(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns);
/* Adds a command such as "ctrace watch --pid 12 --var flag". */
void flag_command(const struct graph *g, uint32_t pid, uint64_t obj, struct words *t);

#endif
