/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windowarg.h - the options that choose the window: the part of a trace that a command looks at. */
#ifndef CTRACE_CLI_INPUT_WINDOWARG_H
#define CTRACE_CLI_INPUT_WINDOWARG_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

/* The arguments of the options, or NULL. tracefile_window() reads them. */
struct windowarg {
	const char *from, *to, *last, *boot;
};

/* Rows for an array of options. member: a struct windowarg in `type`. */
#define WINDOWARG_OPTIONS(type, member)                                                                      \
	{ CLI_TEXT(type, member.from), "from", "TIME",                                                       \
	  "start of the window: 14:03:12, -30s, ... (default: the start of the trace)" },                    \
		{ CLI_TEXT(type, member.to), "to", "TIME",                                                   \
		  "end of the window (default: the end of the trace)" },                                     \
		{ CLI_TEXT(type, member.last), "last", "T", "only the last T of the trace: 30s, 5m, 1.5h" }, \
	{                                                                                                    \
		CLI_TEXT(type, member.boot), "boot", "N",                                                    \
			"use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)"         \
	}
#define WINDOWARG_USAGE "[--from TIME] [--to TIME] [--last T] [--boot N]"

static inline bool windowarg_is_set(const struct windowarg *w)
{
	return w->from || w->to || w->last;
}

#endif
