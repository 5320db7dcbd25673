/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - private to cli/view/: sentences about waits and about the edges between tasks. The
 * texts are safe to print (lib/clean.h), except that names in struct words are not cleaned before
 * words_take(). Any thread. */
#ifndef CTRACE_CLI_VIEW_WORDS_H
#define CTRACE_CLI_VIEW_WORDS_H

#include "analysis/diagnose/diagnosis.h"
#include "trace/words/words.h"

/* Returns what a task does in this kind of time, such as "waits for a lock". */
const char *view_time_words(enum time_kind time);
/* Returns the connection between a wait and the task to blame, such as "the owner of the lock".
 * resource: for what the task waits. */
const char *view_edge_words(enum edge_kind edge, enum resource_kind resource);
/* Returns why an edge of this kind is only inferred, as a sentence. */
const char *view_doubt(enum edge_kind edge);
/* Adds "name[tid]". */
void view_add_task(struct words *t, const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Adds what the task did in the interval, and for what it waited. b: the blame of a wait, or NULL. */
void view_add_interval(struct words *t, const struct graph *g, const struct interval *x, enum time_kind time,
		       const struct blame *b);
/* Adds which task or thing ended the wait, or could end it, and how sure this is. */
void view_add_end(struct words *t, const struct graph *g, const struct interval *x, const struct blame *b);
/* Adds sentences about link i of the chain, which is not the last one: why it is only inferred, and
 * how its wait ended. Each begins with a blank. */
void view_add_notes(struct words *t, const struct graph *g, const struct diagnosis *d, size_t i);
/* Returns why the confidence of a diagnosis is weak, as a sentence. */
const char *view_doubt_words(enum doubt doubt);
/* Adds which records are missing. lacks: a set of CT_LACK_*. */
void view_add_lacks(struct words *t, uint32_t lacks);

#endif
