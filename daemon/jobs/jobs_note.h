/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobs_note.h - finds the probes that a program was compiled with: notes of sys/sdt.h in the
 * section .note.stapsdt. The bytes of the section may be hostile. Pure. Any thread may call the
 * functions.
 */
#ifndef CTRACE_DAEMON_JOBS_JOBS_NOTE_H
#define CTRACE_DAEMON_JOBS_JOBS_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/job.h"

#define JOBS_NOTE_SECTION   ".note.stapsdt"
#define JOBS_NOTE_BYTES_MAX (4u << 20)
#define JOBS_NOTE_ARGS      6

struct jobs_note {
	const char *provider, *name; /* these point into the section's bytes */
	uint64_t vaddr;              /* address of the probe's nop instruction */
	/* Arguments of 64 bits in a register or in memory. Any other argument has reg 0. */
	struct job_value args[JOBS_NOTE_ARGS];
};

/* Calls fn for each note of sys/sdt.h in the n bytes of the section. Returns 0, or -EBADMSG if the
 * section is damaged. Then fn was called only for the notes before the damage. */
int jobs_note_each(const void *section, size_t n, void (*fn)(void *arg, const struct jobs_note *note),
		   void *arg);
/* Finds a register by its name (n characters, without '%'). Returns 1 + the number of the register,
 * as in struct job_value, or 0 if there is no such register. */
uint8_t jobs_note_reg(const char *name, size_t n);
/* Returns the register that holds argument `arg` (0 to 5) of a function, as 1 + its number. 0: arg
 * is too large. */
uint8_t jobs_note_arg_reg(unsigned arg);

#endif
