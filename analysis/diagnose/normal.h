/* SPDX-License-Identifier: GPL-2.0-or-later */
/* normal.h - private to analysis/: tells whether the wait of a victim is normal: nothing is wrong. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_NORMAL_H
#define CTRACE_ANALYSIS_DIAGNOSE_NORMAL_H

#include "analysis/diagnose/root_cause.h"

/* Returns true if the victim stalls only briefly, idles, or works. Also returns true if its source of
 * work is idle, or if too little is known of the victim. stall_ns: the length of the victim's wait.
 * Pure; any thread. */
bool normal_victim(const struct findings *f, uint64_t stall_ns, uint64_t window_ns);
/* Returns true if the chain ends at a thread without work. A rule of thumb says that its process has none.
 * Pure; any thread. */
bool normal_idle_thread(const struct findings *f);
/* normal_victim() returned true. Returns true if only a rule of thumb says so: normal_idle_thread(), or the
 * victim sleeps again and again, or it is no server, and polls for an event of which it is not known who can
 * make it. Pure; any thread. */
bool normal_is_guess(const struct findings *f);

#endif
