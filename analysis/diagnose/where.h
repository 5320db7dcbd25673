/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h - private to analysis/: says behind the name of a task where it runs: its container, and its unit
 * if the units of a chain differ.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_WHERE_H
#define CTRACE_ANALYSIS_DIAGNOSE_WHERE_H

#include "analysis/diagnose/diagnosis.h"
#include "trace/words/cgroup_name.h"

/* Of chain[i] of n.  before: the link that was named last, whose place is not repeated; NULL: none. */
const char *where_words(const struct graph *g, const struct link *chain, size_t n, size_t i,
			const struct link *before, char buf[CGROUP_NAME_WORDS_MAX]);

#endif
