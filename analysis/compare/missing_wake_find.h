/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_wake_find.h - finds the wake-up that is missing or late, and the task that should have
 * sent it. The search compares a wait that takes far longer than usual with earlier waits at the
 * same place.
 *
 * An earlier wait counts only if a task of the commonest role ended it, in the commonest way
 * (similar_keep_commonest()). One of these waits is the reference: the wait of median length among
 * those that are most like the examined wait (similar_median()).
 *
 * The walk follows the path of the reference's wake-up backward: to the task that woke the waiter,
 * to the task that had woken this waker, and so on. The walk looks at what each of these tasks does
 * now, while the waiter waits. If the task waits at the same place as before the reference's
 * wake-up, the walk goes on to the next task. Otherwise, or if there is no next task, this task is
 * named (Argus: Weng, Huang, Yang, USENIX ATC 2021, section 4.2).
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H

#include "analysis/compare/missing_wake.h"

/*
 * Examines a BLOCKED interval up to to_ns. The caller frees *ret with missing_wake_free(). *ret is
 * NULL if the wait is normal, if no earlier wait is like it, or if the comparison leads to no task.
 * Returns 0 or -ENOMEM.
 */
int missing_wake_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct missing_wake **ret);

#endif
