/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_wake_find.h - finds the wake-up that is missing or late, and the task that should have
 * sent it.
 *
 * Compares a long wait with the reference, a typical earlier wait at the same place. Goes backward
 * along the wake-ups that led to the end of the reference, from task to task. Names the first task
 * that does something else in the long wait than it did in the reference. If each task does the
 * same in both waits, names the last task. But if the last task waits for the waiter, names no
 * task. The method: Argus (Weng, Huang, Yang, USENIX ATC 2021, section 4.2).
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H

#include "analysis/compare/missing_wake.h"

/* Examines the BLOCKED interval `wait` up to to_ns. *ret is NULL if no task is to be named. The
 * caller frees *ret with missing_wake_free(). Returns 0 or -ENOMEM. */
int missing_wake_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct missing_wake **ret);

#endif
