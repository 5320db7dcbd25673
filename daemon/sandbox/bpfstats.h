/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfstats.h - switches on the kernel's statistics of the run time of BPF programs.
 *
 * This needs CAP_SYS_ADMIN, which the daemon may have given up. So a small process, forked early,
 * keeps the capability. A filter allows this process only the few system calls that it needs.
 */
#ifndef CTRACE_DAEMON_SANDBOX_BPFSTATS_H
#define CTRACE_DAEMON_SANDBOX_BPFSTATS_H

/* Forks the process, which ends with the daemon. Call it on the main thread, before others start.
 * Returns 0, or -errno, after which bpfstats_open() fails. */
int bpfstats_start(void);
/* Returns a descriptor that keeps the statistics on until it is closed, or -errno. Waits at most a
 * second. Any thread may call it. */
int bpfstats_open(void);

#endif
