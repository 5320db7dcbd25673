/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - a critical path as text for people and as JSON for programs: the pieces of the path,
 * where the time went, and how much shorter the path would have been without some waits, tasks or
 * resources. Times in JSON are CLOCK_MONOTONIC nanoseconds. One thread.
 */
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
	uint32_t victim; /* for JSON: the victim, or GRAPH_NONE if the user has named it */
	/* The things that --without takes away, all of them together. n_without 0: --without was
	 * not given, and `table` has one row for each what-if that is worth asking. */
	const struct whatif_without *without;
	size_t n_without;
	struct whatif_row answer; /* if n_without is not 0: the what-if with all of `without` */
	const struct whatif_row *table;
	size_t n_table;
	/* The what-if of the headline. If the victim mostly waited for a thing, this what-if takes
	 * away these waits. If the victim mostly waited for a CPU, it takes away all waits for a
	 * CPU. If the victim mostly ran, there is no such what-if, and saved_ns is 0. */
	struct whatif_row headline;
	bool all; /* for text: show all pieces */
};

#define PATH_HEADLINE_MAX 1024
/* Writes the headline: "5.04 s: 4.99 s of it waiting for ...; without that wait it would have been
 * 4.97 s shorter." */
void render_path_headline(const struct path_view *v, char buf[PATH_HEADLINE_MAX]);
/* render_path_json() prints the path as JSON to stdout, and returns an exit code. render_path()
 * prints the path as text to f. */
int render_path_json(const struct path_view *v);
void render_path(FILE *f, const struct path_view *v);

#endif
