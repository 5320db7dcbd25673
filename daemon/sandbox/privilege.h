/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privilege.h - gives up privileges. The daemon can still attach loaded BPF programs, open perf
 * events, and look into processes, their files and the kernel's symbols. The daemon can never again
 * - start a program or another process,
 * - load another BPF program,
 * - write to files that its user may not write to, unless it keeps CAP_DAC_OVERRIDE
 *   (privilege_options.dirs),
 * - mount, use ptrace or a network,
 * - run code from memory that was written to.
 *
 * If kptr_restrict is 2, /proc/kallsyms has no addresses. Then kernel frames have names only if the
 * daemon keeps CAP_SYS_ADMIN, which a read of /proc/PID/stack needs.
 */
#ifndef CTRACE_DAEMON_SANDBOX_PRIVILEGE_H
#define CTRACE_DAEMON_SANDBOX_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

struct privilege_options {
	/* Directories with files to create or remove later. If the daemon's user may not write to
	 * one of them, CAP_DAC_OVERRIDE is kept. */
	const char *dirs[4];
	size_t n_dirs;
	bool uprobes; /* the daemon will put probes on functions of programs */
};

/* Call this first. From then on, other users cannot read the daemon's new files, only root can look
 * into its memory, and there are no core dumps. */
void privilege_begin(void);
/*
 * Empties the bounding and the ambient set, from which an executed program could get capabilities.
 * Without CAP_SETPCAP the bounding set stays, which is no error. Returns 0 or -errno.
 */
int privilege_drop_bounding(void);
/* Gives up the privileges, after the BPF programs are loaded and before threads start. Limits the
 * system calls even if the capabilities cannot be dropped. Returns 0, or the -errno of a failed
 * step. */
int privilege_drop(const struct privilege_options *opt);

#endif
