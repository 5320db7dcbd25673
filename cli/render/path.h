/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - a critical path as text for people and as JSON for programs: its
 * pieces, where the time went, and what it had been without some of it.  Times
 * in JSON are CLOCK_MONOTONIC nanoseconds.
 */
#ifndef CTRACE_CLI_RENDER_PATH_H
#define CTRACE_CLI_RENDER_PATH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "analysis/whatif/whatif.h"

struct path_view {
	const struct graph *g;
	const struct path *path;
	const struct account *account;
	struct whatif *whatif;
	uint64_t from_ns, to_ns;
	/* What was asked to be taken away, all together; n_without 0: nothing, and table holds the
	 * questions that suggest themselves. */
	const struct whatif_without *without;
	size_t n_without;
	struct whatif_row answer; /* with n_without: its saved_ns and path_ns */
	const struct whatif_row *table;
	size_t n_table;
	struct whatif_row headline; /* without the longest of what the task did itself */
	bool all;                   /* text: all pieces */
};

#define PATH_HEADLINE_MAX 1024
/* "5.04 s: 4.99 s of it waiting for ...; without that it had been 4.97 s shorter." */
void render_path_headline(const struct path_view *v, char buf[PATH_HEADLINE_MAX]);
/* A new reference, or NULL: out of memory. */
json_t *render_path_json(const struct path_view *v);
void render_path(FILE *f, const struct path_view *v);

#endif
