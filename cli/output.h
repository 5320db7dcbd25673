/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - stdout of ctrace. A cleaner (lib/clean.h) keeps control characters of names from the
 * terminal. Newlines and tabs pass, because commands print them, so a command has to clean the
 * names that it prints. JSON is ASCII (text.h), and passes unchanged. One thread.
 */
#ifndef CTRACE_CLI_OUTPUT_H
#define CTRACE_CLI_OUTPUT_H

/* Puts the cleaner before stdout. Call this before anything is printed. Returns 0 or -ENOMEM. */
int output_begin(void);

/*
 * ctrace writes this mark behind the ESC of its own escape sequences. The cleaner removes the mark,
 * and lets the escape sequence pass. Other programs cannot guess the mark, so no name in a trace
 * contains it. Before output_begin(), the mark is "".
 */
const char *output_mark(void);

int output_flush(void);

#endif
