/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchslot.h - the states of watchpoints, shared by the BPF programs that hardware breakpoints call
 * (bpf/watch.bpf.c) and the daemon, which maps this memory.
 *
 * The daemon writes a whole slot before it sets tgid. After that, the BPF programs write the
 * counters and the value.
 */
#ifndef CTRACE_WATCHSLOT_H
#define CTRACE_WATCHSLOT_H

#include "ctrace/abi.h"

#define WATCH_SLOTS 4    /* an x86 CPU has four hardware breakpoints */
#define WATCH_PER_S 1000 /* at most this many accesses to one variable are recorded in a second */
/* ns: a write that does not change the value is left out if the last recorded write of the same
 * task to the same variable was less than this time ago */
#define WATCH_SAME_AGAIN 10000000

struct watch_slot {
	ct_u64 addr;
	ct_u32 tgid; /* 0: free */
	ct_u32 gen;  /* differs for each watchpoint that used this slot; never 0 */
	ct_u32 len;  /* length of the variable in bytes: 1, 2, 4 or 8 */
	ct_u32 n_second;
	ct_u64 second_ns; /* n_second accesses were recorded since this time */
	ct_u64 value;     /* the value that was written last */
	ct_u64 change;    /* how often the value changed */
	ct_u64 refused;   /* accesses that WATCH_PER_S or WATCH_SAME_AGAIN left out */
};
struct watch_slots {
	struct watch_slot v[WATCH_SLOTS];
};

#endif
