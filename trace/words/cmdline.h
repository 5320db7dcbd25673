/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline.h - the short form of a command line, to stand after a task's name. Pure; any thread. */
#ifndef CTRACE_TRACE_WORDS_CMDLINE_H
#define CTRACE_TRACE_WORDS_CMDLINE_H

#include <stddef.h>

#define CMDLINE_SHORT_MAX 96

/*
 * Shortens "/usr/bin/python3 /usr/bin/gunicorn -w 4 app:app" to " (gunicorn -w 4 app:app)".
 * - Leaves out an interpreter and its options, except -c and -e.
 * - Leaves out the program if its name is the task's name.
 *
 * text: from window_cmdline(). comm: the task's name. width: the most bytes between the brackets,
 * from 3 to CMDLINE_SHORT_MAX - 4. In a text that is too long, absolute paths lose their
 * directories. If that is not enough, "..." replaces the end. The result may be "", and is safe to
 * print (lib/clean.h). Returns buf.
 */
const char *cmdline_short(const char *text, const char *comm, size_t width, char buf[CMDLINE_SHORT_MAX]);

#endif
