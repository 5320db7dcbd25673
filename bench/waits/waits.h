/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits.h - the records that waits.bpf.c passes to waits.c. */
#ifndef CTRACE_BENCH_WAITS_WAITS_H
#define CTRACE_BENCH_WAITS_WAITS_H

struct long_wait {
	unsigned long long from_ns, to_ns; /* CLOCK_BOOTTIME */
	unsigned long long args[2];        /* the first arguments of the system call */
	unsigned long long inode, fs; /* if args[0] is a descriptor: its file, and the kind of file system */
	unsigned int tid;
	int call; /* the number of the system call; -1: none, or the task does not sleep interruptibly */
	unsigned int waker;     /* the task on the CPU that makes the wake-up; 0: none (the CPU was idle) */
	unsigned int interrupt; /* 1: an interrupt or softirq makes the wake-up */
};

#endif
