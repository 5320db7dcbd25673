/* SPDX-License-Identifier: GPL-2.0-or-later */
/* normal.h - private to analysis/: tells whether the wait of a victim is normal, so that nothing is
 * wrong. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_NORMAL_H
#define CTRACE_ANALYSIS_DIAGNOSE_NORMAL_H

#include "analysis/diagnose/root_cause.h"

/* Tells whether the wait of the victim is normal: the victim idles or works, or its source of work
 * is idle. stall_ns: the length of the wait; window_ns: the length of the window. Pure; any
 * thread. */
bool normal_victim(const struct findings *f, uint64_t stall_ns, uint64_t window_ns);

#endif
