/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * missing_wake_find.h - which wake-up is missing or late, and who should have sent it: a
 * wait that did not end in time is compared with an earlier one like it that did.
 *
 * Of the earlier waits at the same place those count that the same role ended in
 * the same way; the one of median length is the reference.  The path of its
 * wake-up is walked backwards: who woke it, what had that one been woken by, and so
 * on.  At each of these tasks: what does it do now, while the waiter waits?  If it
 * waits where it waited then, the one before it is looked at; else it is the one
 * to name (Argus, section 4.2).
 *
 * Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H
#define CTRACE_ANALYSIS_COMPARE_MISSING_WAKE_FIND_H

#include "analysis/compare/missing_wake.h"

/*
 * wait: an interval that is BLOCKED, looked at up to to_ns.  *ret NULL: it is not
 * abnormal, nothing is like it, or those like it lead to nobody.  0 or -ENOMEM.
 */
int missing_wake_find(const struct graph *g, uint32_t wait, uint64_t to_ns, struct missing_wake **ret);

#endif
