/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * against_find.h - compares a wait with similar waits of another trace, in which the same program
 * worked. Finds the task that ended these waits, and what the task of this role does in the examined
 * trace (doc/graph.md). Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_AGAINST_FIND_H
#define CTRACE_ANALYSIS_COMPARE_AGAINST_FIND_H

#include "analysis/compare/against.h"

/* Examines the BLOCKED interval `wait` of g up to to_ns. The caller has set ret->good and ret->name,
 * and calls against_done() in any case. If ret->result is AGAINST_NAMED, *ret_missing is the
 * comparison, which the caller frees with missing_wake_free(); otherwise it is NULL. Returns 0 or
 * -ENOMEM. */
int against_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct against *ret,
		 struct missing_wake **ret_missing);

#endif
