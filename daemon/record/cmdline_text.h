/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline_text.h - makes the text of a CT_CMDLINE from the arguments of a process. Pure. Any thread
 * may call it. */
#ifndef CTRACE_DAEMON_RECORD_CMDLINE_TEXT_H
#define CTRACE_DAEMON_RECORD_CMDLINE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "ctrace/abi.h"

#define CMDLINE_WORDS_MAX ((sizeof(struct ct_cmdline_blob) + CT_CMDLINE_MAX) / 8)

/*
 * Fills in a CT_CMDLINE for the process tgid. args and bytes are as in struct ct_rawcmdline_blob.
 * If bytes is 0, the command line is not known.
 *
 * If the text is longer than CT_CMDLINE_MAX, all options of more than two characters are left out.
 * If the text is still too long, its end is cut off. So the text keeps the names of source files,
 * which come after many options in the command line of a compiler.
 */
void cmdline_text(uint32_t tgid, uint64_t ts_ns, const char args[CT_RAWCMDLINE_MAX], size_t bytes,
		  uint64_t ret[CMDLINE_WORDS_MAX]);

#endif
