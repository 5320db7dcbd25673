/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - the kind of machine that a trace was recorded on.  The numbers of system calls in its records
 * mean what they mean there, not where the trace is read.  Pure; any thread.
 */
#ifndef CTRACE_TRACE_FORMAT_MACHINE_H
#define CTRACE_TRACE_FORMAT_MACHINE_H

#include <string.h>

enum machine {
	MACHINE_THIS, /* the one that this program was built for */
	MACHINE_X86_64,
	MACHINE_ARM64,
	MACHINE_OTHER, /* its system calls have no names here */
};

/* From uname(2), which is what META has.  "": a trace from before META had it; such a trace was most likely
 * recorded where it is read. */
static inline enum machine machine_of(const char *uname_machine)
{
	if (!*uname_machine)
		return MACHINE_THIS;
	if (!strcmp(uname_machine, "x86_64"))
		return MACHINE_X86_64;
	return !strcmp(uname_machine, "aarch64") ? MACHINE_ARM64 : MACHINE_OTHER;
}

#endif
