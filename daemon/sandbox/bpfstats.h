/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfstats.h - switches on the kernel's statistics of the run time of BPF programs.
 *
 * To switch the statistics on needs CAP_SYS_ADMIN, which the daemon may have given up. So a small
 * process, forked early, keeps the capability. A filter allows this process only the few system
 * calls that it needs.
 *
 * The main thread calls bpfstats_start(); any thread may call bpfstats_open().
 */
#ifndef CTRACE_DAEMON_SANDBOX_BPFSTATS_H
#define CTRACE_DAEMON_SANDBOX_BPFSTATS_H

/* Forks the process, which ends with the daemon. Call this before the daemon starts threads.
 * Returns 0 or -errno. After -errno, bpfstats_open() will fail. */
int bpfstats_start(void);
/* Returns -errno, or a descriptor that keeps the statistics on until the caller closes it. Waits
 * for the answer of the process for at most a second. */
int bpfstats_open(void);

#endif
