/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * against_find.h - compares a wait with waits of another trace of the same program. Finds the task
 * that should have ended the wait (doc/graph.md). Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_AGAINST_FIND_H
#define CTRACE_ANALYSIS_COMPARE_AGAINST_FIND_H

#include "analysis/compare/against.h"

/* Examines the BLOCKED interval `wait` of g up to to_ns. The caller sets ret->good and ret->name,
 * and calls against_done() in any case. *ret_missing is NULL unless ret->result is AGAINST_NAMED;
 * the caller frees it with missing_wake_free(). Returns 0 or -ENOMEM. */
int against_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct against *ret,
		 struct missing_wake **ret_missing);

#endif
