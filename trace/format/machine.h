/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - the kind of machine that a trace was recorded on. The numbers of system calls in a
 * trace are those of the machine that recorded it. The machine on which the trace is read may have
 * other numbers. Pure; any thread.
 */
#ifndef CTRACE_TRACE_FORMAT_MACHINE_H
#define CTRACE_TRACE_FORMAT_MACHINE_H

#include <string.h>

enum machine {
	MACHINE_THIS, /* the machine for which this program was built */
	MACHINE_X86_64,
	MACHINE_ARM64,
	MACHINE_OTHER, /* ctrace has no table of its system calls */
};

/* uname_machine is the entry "machine" in the meta data of a trace, which comes from uname(2). An
 * old trace has no such entry, and the caller passes "". Then the result is MACHINE_THIS, because
 * most likely the same machine recorded the trace. */
static inline enum machine machine_of(const char *uname_machine)
{
	if (!*uname_machine)
		return MACHINE_THIS;
	if (!strcmp(uname_machine, "x86_64"))
		return MACHINE_X86_64;
	return !strcmp(uname_machine, "aarch64") ? MACHINE_ARM64 : MACHINE_OTHER;
}

#endif
