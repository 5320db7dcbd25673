/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline.h - the short form of a command line, behind the name of a task. Pure; any thread. */
#ifndef CTRACE_TRACE_WORDS_CMDLINE_H
#define CTRACE_TRACE_WORDS_CMDLINE_H

#include <stddef.h>

#define CMDLINE_SHORT_MAX 96

/*
 * Writes " (gunicorn -w 4 app:app)" for "/usr/bin/python3 /usr/bin/gunicorn -w 4 app:app": what a person
 * needs beside the name of the task.
 * - An interpreter of scripts is left out, with its options: the text begins with the name of the script.
 * - A program that the task is named after is left out: the text has only the arguments.
 *
 * text: as window_cmdline(). comm: the name of the task. width: the largest number of bytes between the
 * brackets, from 3 to CMDLINE_SHORT_MAX - 4. If the text is longer than width, only the last part of each
 * path stays. If the text is still too long, it is cut and ends with "...". If no text is left beside the
 * name of the task, the result is "". The result is safe to print (lib/clean.h). Returns buf.
 */
const char *cmdline_short(const char *text, const char *comm, size_t width, char buf[CMDLINE_SHORT_MAX]);

#endif
