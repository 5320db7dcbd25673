/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits.h - the records that waits.bpf.c passes to waits.c. */
#ifndef CTRACE_BENCH_WAITS_H
#define CTRACE_BENCH_WAITS_H

struct long_wait {
	unsigned long long from_ns, to_ns; /* CLOCK_BOOTTIME */
	unsigned int tid, unused;
};

#endif
