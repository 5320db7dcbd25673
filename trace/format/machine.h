/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - the kind of machine that recorded a trace. The kind decides which numbers the system
 * calls have. Pure; any thread. */
#ifndef CTRACE_TRACE_FORMAT_MACHINE_H
#define CTRACE_TRACE_FORMAT_MACHINE_H

#include <string.h>

enum machine {
	MACHINE_THIS,
	MACHINE_X86_64,
	MACHINE_ARM64,
	MACHINE_OTHER, /* ctrace does not know the system calls of this machine */
};

/* uname_machine: the entry "machine" of the meta data, or "" in an old trace. */
static inline enum machine machine_of(const char *uname_machine)
{
	if (!*uname_machine)
		return MACHINE_THIS;
	if (!strcmp(uname_machine, "x86_64"))
		return MACHINE_X86_64;
	return !strcmp(uname_machine, "aarch64") ? MACHINE_ARM64 : MACHINE_OTHER;
}

/* Replaces MACHINE_THIS by the machine on which ctrace runs. */
static inline enum machine machine_known(enum machine machine)
{
#ifdef __aarch64__
	return machine == MACHINE_THIS ? MACHINE_ARM64 : machine;
#else
	return machine == MACHINE_THIS ? MACHINE_X86_64 : machine;
#endif
}

#endif
