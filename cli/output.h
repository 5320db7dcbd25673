/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - stdout of ctrace. A cleaner (lib/clean.h) replaces control characters in all output, so that
 * a name cannot send them to the terminal. The cleaner lets newlines and tabs pass, because ctrace itself
 * prints them. But a name may have them too, so a command has to clean each name before it prints the name.
 * JSON is ASCII (text.h), and passes unchanged. One thread. */
#ifndef CTRACE_CLI_OUTPUT_H
#define CTRACE_CLI_OUTPUT_H

/* Puts the cleaner before stdout. Call this before any output. Returns 0 or -ENOMEM. */
int output_begin(void);

/* ctrace writes this mark after the ESC of its own escape sequences, and the cleaner lets these
 * sequences pass. Names cannot contain the mark, because nobody can guess it. Before
 * output_begin(), it is "". */
const char *output_mark(void);

int output_flush(void);

#endif
