/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * where.h - private to analysis/: says where a task runs, in words that follow its name. The words
 * name the container, or else the systemd unit. The unit is left out if all tasks of the chain run
 * in the same place.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_WHERE_H
#define CTRACE_ANALYSIS_DIAGNOSE_WHERE_H

#include "analysis/diagnose/diagnosis.h"
#include "trace/words/cgroup_name.h"

/* For a text that names the tasks of the chain: writes the words about the task of chain[i] into buf, and
 * returns buf. `before`: the link whose task the text named last, or NULL. The words are "" if both tasks
 * run in the same place. */
const char *where_words(const struct graph *g, const struct link *chain, size_t n, size_t i,
			const struct link *before, char buf[CGROUP_NAME_WORDS_MAX]);

#endif
