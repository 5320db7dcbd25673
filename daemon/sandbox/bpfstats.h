/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpfstats.h - switches the kernel's statistics of BPF programs' run time on, for as long as somebody
 * wants them.  The kernel asks for CAP_SYS_ADMIN, which the daemon does not keep: a process
 * that is forked early keeps that, and can do nothing else with it.
 *
 * One for the process.  bpfstats_start() is for the main thread, the other for any.
 */
#ifndef CTRACE_DAEMON_SANDBOX_BPFSTATS_H
#define CTRACE_DAEMON_SANDBOX_BPFSTATS_H

/* Forks that process, before there are threads; it ends with this one.  0 or -errno: there will be none. */
int bpfstats_start(void);
/* A descriptor that keeps the statistics on until it is closed, or -errno.  Takes a second at most. */
int bpfstats_open(void);

#endif
