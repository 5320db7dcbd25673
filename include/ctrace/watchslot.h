/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchslot.h - the states of watchpoints, in memory that bpf/watch.bpf.c and the daemon share. The
 * daemon fills a slot, and writes its member tgid last. From then on, BPF programs write the
 * counters and the value.
 */
#ifndef CTRACE_WATCHSLOT_H
#define CTRACE_WATCHSLOT_H

#include "ctrace/abi.h"

#define WATCH_SLOTS 4    /* an x86 CPU has four hardware breakpoints */
#define WATCH_PER_S 1000 /* at most this many records of one variable in a second */
/* ns: For this time after a recorded write, writes of the same value by the same task are left
 * out. */
#define WATCH_SAME_AGAIN 10000000

struct watch_slot {
	ct_u64 addr;
	ct_u32 tgid;
	ct_u32 gen; /* differs for each watchpoint of this slot; never 0 */
	ct_u32 len; /* bytes: 1, 2, 4 or 8 */
	ct_u32 n_second;
	ct_u64 second_ns; /* n_second accesses were recorded since then */
	ct_u64 value;
	ct_u64 change;
	ct_u64 refused; /* accesses that WATCH_PER_S or WATCH_SAME_AGAIN left out */
};
struct watch_slots {
	struct watch_slot v[WATCH_SLOTS];
};

#endif
