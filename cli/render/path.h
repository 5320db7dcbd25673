/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path.h - a critical path as text and as JSON: the pieces, where the time went, and what would
 * have made it shorter. Times in JSON are CLOCK_MONOTONIC nanoseconds. One thread. */
#ifndef CTRACE_CLI_RENDER_PATH_H
#define CTRACE_CLI_RENDER_PATH_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/whatif/whatif.h"

struct path_view {
	const struct graph *g;
	const struct path *path;
	const struct account *account;
	struct whatif *whatif;
	uint64_t from_ns, to_ns;
	/* The task that the JSON names as "victim". GRAPH_NONE: an option such as --tid chose the
	 * task, and the JSON has no "victim". */
	uint32_t victim;
	const struct whatif_without *without;
	size_t n_without;
	struct whatif_row answer;
	/* If n_without is 0: the what-ifs that are worth asking. */
	const struct whatif_row *table;
	size_t n_table;
	/* The what-if that takes away the waits of the largest row of ACCOUNT_WAIT. If there is no
	 * such what-if, saved_ns is 0. */
	struct whatif_row headline;
	/* Of the list of pieces in the text. limit: list only the longest ones; 0: the default. by_length:
	 * the longest first, instead of the order of time. */
	uint32_t limit;
	bool by_length;
	bool all;
};

#define PATH_HEADLINE_MAX 1024
/* Example: "5.04 s: 4.99 s of it waiting for ...; without that wait it would have been 4.97 s
 * shorter." */
void render_path_headline(const struct path_view *v, char buf[PATH_HEADLINE_MAX]);
int render_path_json(const struct path_view *v);
void render_path(FILE *f, const struct path_view *v);
/* Prints which parts of the range the waits took to which the path leads in the end. Of *v, only g and
 * account count. */
void render_path_shares(FILE *f, const struct path_view *v, const char *title);

#endif
