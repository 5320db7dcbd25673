/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfstats.h - switches on the kernel's statistics of the run time of BPF programs.
 *
 * This needs CAP_SYS_ADMIN, which the daemon may have given up. So a small process, forked early,
 * keeps the capability. A filter allows this process only the few system calls that it needs.
 */
#ifndef CTRACE_DAEMON_SANDBOX_BPFSTATS_H
#define CTRACE_DAEMON_SANDBOX_BPFSTATS_H

/* Starts the small process that keeps CAP_SYS_ADMIN. It ends when the daemon ends. Call this on the
 * main thread, before other threads start. Returns 0 or -errno. After -errno, bpfstats_open()
 * fails. */
int bpfstats_start(void);
/* Returns a descriptor that keeps the statistics on until it is closed, or -errno. Waits at most a
 * second. Any thread may call it. */
int bpfstats_open(void);

#endif
