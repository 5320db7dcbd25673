/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfstats.h - switches on the kernel's statistics of the run time of BPF programs, for as long as
 * a descriptor is open. The switch requires CAP_SYS_ADMIN, which the daemon itself may have given
 * up. So the daemon forks a small process early, and this process keeps the capability. A filter of
 * system calls lets the process do nothing else with the capability.
 *
 * The main thread calls bpfstats_start(); any thread may call bpfstats_open().
 */
#ifndef CTRACE_DAEMON_SANDBOX_BPFSTATS_H
#define CTRACE_DAEMON_SANDBOX_BPFSTATS_H

/* Forks the process. The daemon calls this function before it starts threads. The process ends with
 * the daemon. Returns 0 or -errno. On failure there is no such process, and bpfstats_open() will
 * fail. */
int bpfstats_start(void);
/* Returns -errno, or a descriptor that keeps the statistics on until the caller closes it. Waits
 * for the answer of the process for a second at most. */
int bpfstats_open(void);

#endif
