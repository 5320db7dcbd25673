/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_member.h - finds members of a process's variables in the debugging information. Not for the
 * daemon: a hostile program could make libdw take any amount of memory.
 */
#ifndef CTRACE_CLI_LIVE_DWARF_MEMBER_H
#define CTRACE_CLI_LIVE_DWARF_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#define DWARF_MEMBER_SPEC_MAX 512
#define DWARF_MEMBER_ERR_MAX  256

/* Returns true for "[MODULE:]SYMBOL.MEMBER[.MEMBER...]" that begins with no digit. */
bool dwarf_member_is(const char *var);
/*
 * Turns var into "[MODULE:]SYMBOL+OFFSET", and finds the size of the member in bytes. On failure
 * err has "why; what to do". Returns 0, or:
 * - -ENOENT: the debugging information lacks the variable or the member;
 * - -EINVAL: the member is a bit field, or its offset or size is not known;
 * - -errno: the file cannot be opened.
 */
int dwarf_member_find(uint32_t pid, const char *var, char ret_spec[DWARF_MEMBER_SPEC_MAX], uint64_t *ret_size,
		      char err[DWARF_MEMBER_ERR_MAX]);

#endif
