/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windowarg.h - the options that choose the window: the part of a trace that a command looks at. */
#ifndef CTRACE_CLI_INPUT_WINDOWARG_H
#define CTRACE_CLI_INPUT_WINDOWARG_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cli.h"

/* The arguments of the options, or NULL. tracefile_window() and tracefile_moment() read them. */
struct windowarg {
	const char *at, *from, *to, *last, *boot;
	/* No option: the window is the time of a hang or of a request (rowarg_use()). */
	bool of_row;
};

/* Rows for an array of options. member: a struct windowarg in `type`. */
#define WINDOWARG_OPTIONS(type, member)                                                                      \
	{ CLI_TEXT(type, member.at), "at", "TIME",                                                           \
	  "look at one moment: 14:03:12 is a second, 14:03 a minute; also -30s" },                           \
		{ CLI_TEXT(type, member.from), "from", "TIME",                                               \
		  "start of the window: 14:03:12, -30s, ... (default: the start of the trace)" },            \
		{ CLI_TEXT(type, member.to), "to", "TIME",                                                   \
		  "end of the window (default: the end of the trace)" },                                     \
		{ CLI_TEXT(type, member.last), "last", "T", "only the last T of the trace: 30s, 5m, 1.5h" }, \
	{                                                                                                    \
		CLI_TEXT(type, member.boot), "boot", "N",                                                    \
			"use boot N of the trace: 0 is the newest, 1 the one before it (default: 0)"         \
	}
#define WINDOWARG_USAGE "[--at TIME | [--from TIME] [--to TIME] [--last T]] [--boot N]"

static inline bool windowarg_is_set(const struct windowarg *w)
{
	return w->from || w->to || w->last;
}

/* Returns true if a wait, a request or a transaction counts if any part of it is in the window: also if it
 * began before the window, or ended after it. */
static inline bool windowarg_touches(const struct windowarg *w)
{
	return w->at || w->of_row;
}

#endif
