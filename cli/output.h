/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.h - stdout of ctrace. A cleaner (lib/clean.h) keeps control characters of names from the
 * terminal. Newlines and tabs pass, so a command has to clean the names that it prints. JSON is
 * ASCII (text.h), and passes unchanged. One thread. */
#ifndef CTRACE_CLI_OUTPUT_H
#define CTRACE_CLI_OUTPUT_H

/* Puts the cleaner before stdout. Call this before any output. Returns 0 or -ENOMEM. */
int output_begin(void);

/* ctrace writes this mark behind the ESC of its own escape sequences, and the cleaner lets these
 * pass. Names cannot contain the mark, because nobody can guess it. Before output_begin(), it is
 * "". */
const char *output_mark(void);

int output_flush(void);

#endif
