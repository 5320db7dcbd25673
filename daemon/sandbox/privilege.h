/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privilege.h - gives up what the daemon does not need.
 *
 * What it keeps: to attach the BPF programs that are loaded and to open perf events; to look into processes,
 * at their files and at the kernel's symbols.  What is gone for good once the capture runs: to start a
 * program or another process, to load another BPF program, to write where it does not own the
 * files, to mount, to trace with ptrace, to use a network, to run memory that was written to.
 *
 * With kptr_restrict 2 kernel frames have no names: to read them from /proc/PID/stack would take SYS_ADMIN.
 */
#ifndef CTRACE_DAEMON_SANDBOX_PRIVILEGE_H
#define CTRACE_DAEMON_SANDBOX_PRIVILEGE_H

#include <stdbool.h>
#include <stddef.h>

struct privilege_options {
	/* directories in which files are made or removed later */
	const char *dirs[4];
	size_t n_dirs;
	bool uprobes; /* probes will be put on functions of programs */
};

/* First of all: whatever is made from now on is the user's alone, and so is the memory of the process. */
void privilege_begin(void);
/*
 * Empties the sets that a program could get capabilities from when this process executes it: the bounding and
 * the ambient one.  What the process has itself stays.  0; -errno; also 0 without CAP_SETPCAP, which it
 * takes.
 */
int privilege_drop_bounding(void);
/*
 * When the BPF programs are loaded, and before there are threads: each thread has its own privileges.  0, or
 * -errno of the first that could not be given up; the others are.
 */
int privilege_drop(const struct privilege_options *opt);

#endif
