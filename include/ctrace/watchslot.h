/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchslot.h - a watched variable, as the program that hardware breakpoints call
 * sees it.  Also written by the loader, which maps it.
 */
#ifndef CTRACE_WATCHSLOT_H
#define CTRACE_WATCHSLOT_H

#include "ctrace/abi.h"

#define WATCH_SLOTS      4        /* what the hardware has */
#define WATCH_PER_S      1000     /* accesses recorded of one variable */
#define WATCH_SAME_AGAIN 10000000 /* a task writes the same value over again: recorded that often, ns */

struct watch_slot {
	ct_u64 addr;
	ct_u32 tgid; /* 0: free */
	ct_u32 gen;  /* of this use of the slot; never 0 */
	ct_u32 len;  /* 1, 2, 4, 8 */
	ct_u32 n_second;
	ct_u64 second_ns; /* n_second were recorded since then */
	ct_u64 value;     /* the last one written */
	ct_u64 change;    /* how often it changed */
	ct_u64 refused;   /* accesses that were too many to be recorded */
};
struct watch_slots {
	struct watch_slot v[WATCH_SLOTS];
};

#endif
