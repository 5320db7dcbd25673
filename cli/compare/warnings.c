// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/compare/warnings.h"

#include <stdarg.h>

__attribute__((format(printf, 2, 3))) static void add(struct warnings *w, const char *fmt, ...)
{
	va_list ap;

	if (w->n == WARNINGS_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(w->v[w->n++], WARNINGS_TEXT_MAX, fmt, ap);
	va_end(ap);
}

void warnings_side(struct warnings *w, const struct baseline *b, const char *which)
{
	if (b->other_command[0])
		add(w,
		    "The %sruns are of different commands, such as '%s' and '%s': compare runs of one command.",
		    which, b->command, b->other_command);
	if (b->n_failed)
		add(w,
		    "The command failed in %zu of %zu %sruns, and may have left out work: record runs that succeed.",
		    b->n_failed, b->n_runs, which);
}

void warnings_compare(struct warnings *w, const struct baseline *old, const struct baseline *new)
{
	warnings_side(w, old, "old ");
	warnings_side(w, new, "new ");
	if (!baseline_alike(old->command, new->command))
		add(w,
		    "The old runs are of '%s', the new ones of '%s': if this is not the same work, record the same command.",
		    old->command, new->command);
}
