/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobs_note.h - reads the notes of sys/sdt.h in the section .note.stapsdt of a program. Each note
 * names a place in the code for a probe, and says where the arguments of the note are. The bytes
 * may be hostile. Pure. */
#ifndef CTRACE_DAEMON_JOBS_JOBS_NOTE_H
#define CTRACE_DAEMON_JOBS_JOBS_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/job.h"

#define JOBS_NOTE_SECTION   ".note.stapsdt"
#define JOBS_NOTE_BYTES_MAX (4u << 20)
#define JOBS_NOTE_ARGS      6

struct jobs_note {
	const char *provider, *name;
	uint64_t vaddr;
	/* Address of a counter of 16 bits. The program reaches the note only while the counter is not 0.
	 * 0: there is no such counter. */
	uint64_t semaphore;
	/* reg is 0 if an argument has not 64 bits, or is neither in a register nor in memory. */
	struct job_value args[JOBS_NOTE_ARGS];
};

/* Calls fn for each note of sys/sdt.h up to the first damage. Returns 0, or -EBADMSG if the section
 * is damaged. */
int jobs_note_each(const void *section, size_t n, void (*fn)(void *arg, const struct jobs_note *note),
		   void *arg);
/* name: n characters, without '%'. Returns 1 + the number of the register, or 0 for no register. */
uint8_t jobs_note_reg(const char *name, size_t n);
/* Returns 1 + the number of the register of argument `arg` (0 to 5). 0: arg is too large. */
uint8_t jobs_note_arg_reg(unsigned arg);
/* Like jobs_note_arg_reg(), for argument `arg` (0 to 3) of a Go function, as of Go 1.18. */
uint8_t jobs_note_go_reg(unsigned arg);
/* Returns 1 + the number of the register that has the address of the goroutine, as of Go 1.18. */
uint8_t jobs_note_goroutine_reg(void);

#endif
