/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfstats.h - switches the kernel's statistics of BPF programs' run time on for a while. The kernel asks
 * for CAP_SYS_ADMIN, which the daemon does not keep. A process that is forked early keeps this capability,
 * and can do nothing else with it.
 *
 * There is one such process. bpfstats_start() is for the main thread, bpfstats_open() for any thread.
 */
#ifndef CTRACE_DAEMON_SANDBOX_BPFSTATS_H
#define CTRACE_DAEMON_SANDBOX_BPFSTATS_H

/* Forks the process; to be called before there are threads. The process ends with the daemon. Returns 0, or
 * -errno: there is no such process, and bpfstats_open() will fail. */
int bpfstats_start(void);
/* Returns a descriptor that keeps the statistics on until the caller closes it, or -errno. Takes a second at
 * most. */
int bpfstats_open(void);

#endif
