/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline_text.h - makes a CT_CMDLINE from the arguments of a process. Pure. */
#ifndef CTRACE_DAEMON_RECORD_CMDLINE_TEXT_H
#define CTRACE_DAEMON_RECORD_CMDLINE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define CMDLINE_WORDS_MAX ((sizeof(struct ct_cmdline_blob) + CT_CMDLINE_MAX) / 8)

/*
 * Fills in a CT_CMDLINE. args and bytes: as in struct ct_rawcmdline_blob; bytes 0: not known.
 *
 * A text longer than CT_CMDLINE_MAX first loses its options of more than two characters, then its
 * end. So the text for a compiler keeps the names of the source files, which come after many
 * options.
 */
void cmdline_text(uint32_t tgid, uint64_t ts_ns, const char args[CT_RAWCMDLINE_MAX], size_t bytes,
		  uint64_t ret[CMDLINE_WORDS_MAX]);

#endif
