/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - the kind of machine that a trace was recorded on. The numbers of system calls in a
 * trace are those of the machine that recorded it, not of the one that reads it. Pure; any thread.
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

/* The machine for the "machine" of a trace's meta data, which is that of uname(2). "" means this
 * machine: an old trace has no such entry, and most likely it was recorded where it is read. */
static inline enum machine machine_of(const char *uname_machine)
{
	if (!*uname_machine)
		return MACHINE_THIS;
	if (!strcmp(uname_machine, "x86_64"))
		return MACHINE_X86_64;
	return !strcmp(uname_machine, "aarch64") ? MACHINE_ARM64 : MACHINE_OTHER;
}

#endif
