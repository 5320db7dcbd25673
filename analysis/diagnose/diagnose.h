/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnose.h - why was this task slow or stuck in this window, and who was to
 * blame?
 *
 * Follows the critical path of the victim, task by task, always to where most
 * of the time went, until a task that does not wait for another, an external
 * cause, or a cycle.  Pure; the result owns its strings.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H
#define CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H

#include "analysis/diagnose/diagnosis.h"

/* 0, -EINVAL (empty window, no such task), -ENOMEM. options NULL: no rules, and decide. */
int diagnose(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
	     const struct diagnose_options *options, struct diagnosis **ret);

#endif
