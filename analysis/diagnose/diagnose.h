/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnose.h - why was this task slow or stuck in this window, and which task is to blame?
 *
 * The diagnosis follows the critical path of the victim from task to task, each time to where most of the
 * time went.  It ends at a task that waits for no other task, at an external cause, or at a cycle.
 * Pure; the result owns its strings.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H
#define CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H

#include "analysis/diagnose/diagnosis.h"

/* 0, -EINVAL (empty window, no such task), -ENOMEM. options NULL: no rules, and decide. */
int diagnose(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
	     const struct diagnose_options *options, struct diagnosis **ret);

#endif
