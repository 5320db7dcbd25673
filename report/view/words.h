/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - for report/view/ and cli/render/: sentences about waits and about the edges between tasks. The
 * texts are safe to print (lib/clean.h), except that names in struct words are not cleaned before
 * words_take(). Any thread. */
#ifndef CTRACE_REPORT_VIEW_WORDS_H
#define CTRACE_REPORT_VIEW_WORDS_H

#include "analysis/diagnose/diagnosis.h"
#include "trace/words/words.h"

/* Returns what a task does in this kind of time, such as "waits for a lock". stopped: see
 * view_is_stopped(). */
const char *view_time_words(enum time_kind time, bool stopped);
/* Returns true if the task is stopped or frozen in the interval. interval may be GRAPH_NONE. */
bool view_is_stopped(const struct graph *g, uint32_t interval);
/* Returns a few words, such as "a wake-up" or "the owner of the lock". They say how the task to
 * blame for a wait is connected with the wait. resource: the thing for which the blocked task
 * waits. */
const char *view_edge_words(enum edge_kind edge, enum resource_kind resource);
/* Adds why the task of link k waits for the task of link `next`, such as "node[12] writes to the eventfd". */
void view_add_because(struct words *t, const struct link *k, const struct link *next);
/* Returns the thing for which a task waits, such as "the disk". */
const char *view_resource_words(enum resource_kind resource);
/* Returns why an edge of this kind is only inferred, as a sentence. open: the wait has not ended. */
const char *view_doubt(enum edge_kind edge, bool open);
/* Adds "name[tid]". */
void view_add_task(struct words *t, const struct graph *g, uint32_t task, uint64_t ts_ns);
/* Adds what the task did in the interval, and for what it waited. b: the blame of a wait, or NULL. */
void view_add_interval(struct words *t, const struct graph *g, const struct interval *x, enum time_kind time,
		       const struct blame *b);
/* Adds which task or thing ended the wait, or could end it, and how sure this is. A task of the chain of d
 * has its name of the chain, although a task may change its name. */
void view_add_end(struct words *t, const struct graph *g, const struct diagnosis *d, const struct interval *x,
		  const struct blame *b);
/* Returns true if a timer or the time limit of the waiting task ended the wait x, and not the task to blame.
 * That task may have ended a later wait of a loop. */
bool view_is_limited(const struct graph *g, const struct interval *x, const struct blame *b);
/* Adds further sentences about link i of the chain (the last link only if it closes a circle): why the edge
 * to the next link is only inferred, and how the wait of link i ended. Each sentence begins with a blank. */
void view_add_notes(struct words *t, const struct graph *g, const struct diagnosis *d, size_t i);
/* Returns why a diagnosis is partly inferred, as a sentence. */
const char *view_doubt_words(enum doubt doubt);
/* Returns true if the chain could go on in another way at link i, or may not end with link i. */
bool view_is_doubted(const struct diagnosis *d, size_t i);
/* Returns those reasons, a set of 1 << enum doubt, that are only about where the chain
 * ends. */
uint32_t view_end_doubts(const struct diagnosis *d);
/* Takes the place of view_doubt_words(DOUBT_CHOICE): adds each choice that no rule and no person decided. */
void view_add_choices(struct words *t, const struct diagnosis *d);
/* Returns true if b names the task that ended the wait, not one that could end it. */
bool view_is_ended(const struct blame *b);
/* If view_is_ended(b), this takes the place of view_doubt_words(DOUBT_LEAF): adds which task ended
 * the longest wait of the last link. b: the blame for this wait. */
void view_add_ended(struct words *t, const struct graph *g, const struct diagnosis *d, const struct blame *b);
/* If another task writes the input of the last task (diagnosis.writer): adds why the chain does not go on to
 * this task, although the critical path does. */
void view_add_writer(struct words *t, const struct diagnosis *d);
/* Adds which records are missing. lacks: a set of CT_LACK_*. */
void view_add_lacks(struct words *t, uint32_t lacks);

#endif
