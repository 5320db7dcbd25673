/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnose.h - finds why a task was slow or stuck in a window, and which task is to blame.
 *
 * The diagnosis follows the critical path of the victim from task to task. From each task, the
 * diagnosis goes on to the task or the thing for which this task waited longest. The diagnosis ends
 * at a task that waits for no other task, at an external cause, or at a cycle. Pure; any thread,
 * but only one thread at a time may use a struct rules. The result owns its strings.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H
#define CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H

#include "analysis/diagnose/diagnosis.h"

/* Diagnoses the task in [from_ns, to_ns). The caller frees *ret with diagnosis_free(). If `options`
 * is NULL, there are no rules and no questions. Returns 0; -EINVAL if the window is empty or there
 * is no such task; or -ENOMEM. */
int diagnose(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
	     const struct diagnose_options *options, struct diagnosis **ret);

#endif
