/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diagnose.h - finds why a task was slow or stuck in a window, and which task is to blame. The
 * diagnosis goes from each task to the task or thing that took most of its time (branch.h). The end
 * is an external cause, a cycle, or a task that waits for no other task.
 *
 * Pure; any thread, but only one thread at a time may use a struct rules.
 */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H
#define CTRACE_ANALYSIS_DIAGNOSE_DIAGNOSE_H

#include "analysis/diagnose/diagnosis.h"

/* The caller frees *ret with diagnosis_free(). If `options` is NULL, there are no rules and no
 * questions. Returns 0, -ENOMEM, or -EINVAL if the window is empty or there is no such task. */
int diagnose(const struct graph *g, uint32_t task, uint64_t from_ns, uint64_t to_ns,
	     const struct diagnose_options *options, struct diagnosis **ret);

#endif
