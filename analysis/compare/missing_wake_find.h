/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_wake_find.h - finds which wake-up is missing or late, and which task should have sent it, by
 * comparing a wait that did not end in time with an earlier one like it that did.
 *
 * Of the earlier waits at the same place, those count that tasks of the same role ended in the same way.  The
 * one of median length is the reference.  The path of its wake-up is walked backwards: the task that woke the
 * waiter, the task that had woken that one, and so on.  At each task the question is what it does now, while
 * the waiter waits.  If it waits at the same place as then, the walk goes on; else this task is named (Argus,
 * section 4.2).
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H

#include "analysis/compare/missing_wake.h"

/*
 * wait: a BLOCKED interval, looked at up to to_ns.  *ret is NULL if the wait is normal, if no earlier wait is
 * like it, or if those like it lead to no task.  0 or -ENOMEM.
 */
int missing_wake_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct missing_wake **ret);

#endif
