/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_member.h - members of variables of a process, from the debugging information of
 * its program or of a library.
 *
 * Done here and not in the daemon: the reader of that information (libdw) lets a file decide how
 * much memory it takes.
 */
#ifndef CTRACE_CLI_LIVE_DWARF_MEMBER_H
#define CTRACE_CLI_LIVE_DWARF_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#define DWARF_MEMBER_SPEC_MAX 512
#define DWARF_MEMBER_ERR_MAX  256

/* Whether var is "[MODULE:]SYMBOL.MEMBER", also with several members. */
bool dwarf_member_is(const char *var);
/* Turns it into "[MODULE:]SYMBOL+OFFSET" and the member's size.  0; -ENOENT, -EACCES, -errno with "why; what
 * to do" in err. */
int dwarf_member_find(uint32_t pid, const char *var, char ret_spec[DWARF_MEMBER_SPEC_MAX], uint64_t *ret_size,
		      char err[DWARF_MEMBER_ERR_MAX]);

#endif
