/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_member.h - finds members of a process's variables, from the debugging information of its
 * program or of a library.
 *
 * The daemon does not use these functions: they read the information with libdw, and the content of
 * the file decides how much memory libdw needs.
 */
#ifndef CTRACE_CLI_LIVE_DWARF_MEMBER_H
#define CTRACE_CLI_LIVE_DWARF_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#define DWARF_MEMBER_SPEC_MAX 512
#define DWARF_MEMBER_ERR_MAX  256

/* True: var has the form "[MODULE:]SYMBOL.MEMBER", with one or more members. */
bool dwarf_member_is(const char *var);
/* Turns var into "[MODULE:]SYMBOL+OFFSET", and finds the size of the member in bytes. Returns 0, or
 * -ENOENT if the variable or the member is not found, or -EINVAL if the member is a bit field, or
 * its offset or size is not known. If the file cannot be opened, returns -errno. On failure err has
 * "why; what to do". */
int dwarf_member_find(uint32_t pid, const char *var, char ret_spec[DWARF_MEMBER_SPEC_MAX], uint64_t *ret_size,
		      char err[DWARF_MEMBER_ERR_MAX]);

#endif
