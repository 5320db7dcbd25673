/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - stdout of ctrace. All that a command prints passes through lib/clean.h, so that no name reaches
 * the terminal with its control characters. Newlines and tabs pass: the commands print them, and clean the
 * names that they put into a line. JSON is ASCII (text.h) and passes unchanged. One thread.
 */
#ifndef CTRACE_CLI_OUTPUT_H
#define CTRACE_CLI_OUTPUT_H

/* Puts the cleaner before stdout. To be called before anything is printed. Returns 0 or -ENOMEM. */
int output_begin(void);

/*
 * The mark that ctrace puts behind the ESC of each sequence of its own on stdout. The cleaner lets a marked
 * sequence pass, and removes the mark. The mark is random, so that no name in a trace can contain it. Before
 * output_begin() it is "".
 */
const char *output_mark(void);

/* Writes what is left in the buffers. Returns 0, or -errno of the first write that failed. */
int output_flush(void);

#endif
