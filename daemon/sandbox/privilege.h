/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privilege.h - gives up the privileges that the daemon does not need.
 *
 * The daemon keeps the privileges that it needs
 * - to attach BPF programs that are loaded, and to open perf events,
 * - to look into processes, at their files, and at the kernel's symbols.
 *
 * Once the capture runs, the daemon can never again
 * - start a program or another process,
 * - load another BPF program,
 * - write to files that its user may not write to (for the exception, see privilege_options.dirs),
 * - mount, use ptrace or a network,
 * - run code from memory that was written to.
 *
 * If kptr_restrict is 2, kernel frames have no names, because the daemon would need CAP_SYS_ADMIN
 * to read the names from /proc/PID/stack.
 */
#ifndef CTRACE_DAEMON_SANDBOX_PRIVILEGE_H
#define CTRACE_DAEMON_SANDBOX_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

struct privilege_options {
	/* Directories in which the daemon creates or removes files later. If the daemon's user may not
	 * write to one of them, the daemon keeps CAP_DAC_OVERRIDE. */
	const char *dirs[4];
	size_t n_dirs;
	bool uprobes; /* the daemon will put probes on functions of programs */
};

/* The daemon calls this function before it does anything else. From then on, other users cannot
 * read the files that the daemon creates, only root can look into the memory of the daemon, and
 * there are no core dumps. */
void privilege_begin(void);
/*
 * Empties the bounding set and the ambient set. A program that this process executes could get
 * capabilities from these sets. The capabilities of the process itself stay. If the process lacks
 * CAP_SETPCAP, the bounding set stays as it is, and this is no error. Returns 0 or -errno.
 */
int privilege_drop_bounding(void);
/*
 * Gives up the privileges. The daemon calls this function after it has loaded the BPF programs, and
 * before it starts threads, because each thread has its own privileges. If one step fails, the
 * function still does the other steps. Returns 0, or -errno of a step that failed.
 */
int privilege_drop(const struct privilege_options *opt);

#endif
