/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output.h - stdout of ctrace. All that a command prints passes through a cleaner, which uses
 * lib/clean.h, so that control characters in a name do not reach the terminal. The cleaner lets
 * newlines and tabs pass, because the commands themselves print them. A name may have newlines too,
 * so a command has to clean the names that it prints. JSON is ASCII (text.h), and passes unchanged.
 * One thread.
 */
#ifndef CTRACE_CLI_OUTPUT_H
#define CTRACE_CLI_OUTPUT_H

/* Puts the cleaner before stdout. To be called before anything is printed. Returns 0 or -ENOMEM. */
int output_begin(void);

/*
 * Returns the mark. In each escape sequence that ctrace itself writes to stdout, the mark stands
 * behind the ESC. The cleaner lets a sequence with the mark pass, and removes the mark. The mark is
 * random, so that no name in a trace can contain it. Before output_begin(), the mark is "".
 */
const char *output_mark(void);

/* Writes the bytes that are still in the buffers. Returns 0, or -errno of the first write that
 * failed. */
int output_flush(void);

#endif
