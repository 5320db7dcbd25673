/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hangs.h - the other hangs of the trace, and the commands that tell more. One
 * thread. */
#ifndef CTRACE_CLI_VIEW_HANGS_H
#define CTRACE_CLI_VIEW_HANGS_H

#include <jansson.h>

#include "cli/view/view.h"
#include "trace/words/words.h"

#define VIEW_HANGS 10

/* Returns a new reference. NULL: out of memory. */
json_t *view_hangs(const struct view *v);
/* Adds s as one word of a shell. Adds `unknown` instead if s has characters that a person cannot type. */
void view_add_quoted(struct words *t, const char *s, const char *unknown);
/* Returns a list of commands, each with the reason to run it. NULL: out of memory. */
json_t *view_next(const struct view *v);

#endif
