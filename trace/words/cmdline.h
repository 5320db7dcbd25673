/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline.h - the short form of a command line, behind the name of a task. Pure; any thread. */
#ifndef CTRACE_TRACE_WORDS_CMDLINE_H
#define CTRACE_TRACE_WORDS_CMDLINE_H

#include <stddef.h>

#define CMDLINE_SHORT_MAX 96

/*
 * Writes the part of a command line that a person needs beside the name of the task. For
 * "/usr/bin/python3 /usr/bin/gunicorn -w 4 app:app" this is " (gunicorn -w 4 app:app)".
 * - An interpreter of scripts and its options are left out. The text begins with the name of the
 *   script.
 * - If the task has the name of its program, the program is left out. The text has only the
 *   arguments.
 *
 * `text` is the command line as window_cmdline() returns it. comm is the name of the task. width is
 * the largest number of bytes between the brackets, from 3 to CMDLINE_SHORT_MAX - 4. If the text is
 * longer than width, only the part behind the last slash stays of each word that begins with "/".
 * If the text is still too long, it is cut and ends with "...". If no text is left beside the name
 * of the task, the result is "". The result is safe to print (lib/clean.h). Returns buf.
 */
const char *cmdline_short(const char *text, const char *comm, size_t width, char buf[CMDLINE_SHORT_MAX]);

#endif
