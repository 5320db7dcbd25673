/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h - private to analysis/: says where a task runs, in words that stand behind its name. The
 * words name the container, or else the unit. The unit is left out if all tasks of the chain run in
 * the same place.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_WHERE_H
#define CTRACE_ANALYSIS_DIAGNOSE_WHERE_H

#include "analysis/diagnose/diagnosis.h"
#include "trace/words/cgroup_name.h"

/* `before`: the link that the sentence named last, or NULL. Writes "" if link i runs in the same
 * place as `before`. Returns buf. */
const char *where_words(const struct graph *g, const struct link *chain, size_t n, size_t i,
			const struct link *before, char buf[CGROUP_NAME_WORDS_MAX]);

#endif
