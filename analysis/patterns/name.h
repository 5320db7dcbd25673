/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name.h - private to analysis/patterns: names of objects that stay the same from run to run. All
 * text is safe to print, and cut to the size of the buffer. Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_PATTERNS_NAME_H
#define CTRACE_ANALYSIS_PATTERNS_NAME_H

#include "graph/timeline/graph.h"

#define NAME_MAX_BYTES 96

/* Writes the name of the object, such as "port 5432". A number that may change becomes "#":
 * "/data/item-#". If the object has no name, writes its kind, such as "pipe", or "" if the kind is
 * not known. */
void name_object(const struct graph *g, uint64_t obj, char buf[NAME_MAX_BYTES]);
/* Writes the full path of the object, or "" if there is no path. Writes "" too if name_object() writes
 * all of the path. */
void name_variant(const struct graph *g, uint64_t obj, char buf[NAME_MAX_BYTES]);
/* Writes the name of a mark, or of a call and its text, such as "query: SELECT a FROM b WHERE id = #". A
 * number that is not part of a word becomes "#", and what stands in single quotes becomes "*". The variant
 * is the unchanged name, or "" if nothing was changed. */
void name_call(const struct graph *g, uint64_t obj, char name[NAME_MAX_BYTES], char variant[NAME_MAX_BYTES]);

#endif
