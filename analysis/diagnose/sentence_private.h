/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentence_private.h - functions that the files sentence*.c share. Each one that returns nothing adds words
 * to *t. Pure; any thread. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_PRIVATE_H
#define CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_PRIVATE_H

#include "analysis/diagnose/sentence.h"
#include "trace/words/words.h"

/* "java[11, a thread of 10]" */
void sentence_task(struct words *t, const struct link *k);
/* " in compress()": the function of the task's own program in which its stack is; or nothing */
void sentence_where(struct words *t, const struct sentence_facts *f, const struct link *k);
/* " (pipe:[4])", or nothing */
void sentence_resource(struct words *t, const struct link *k);
/* What the last task of the chain did: "was computing". alone: the text does not say the link before it. */
void sentence_last(struct words *t, const struct sentence_facts *f, bool alone);

/* Returns the first frame of the stack that is neither of the kernel nor of libc, or NULL. */
const char *sentence_own_frame(const struct graph *g, uint64_t stack);
bool sentence_has_frame(const struct sentence_facts *f, const struct link *k, bool (*is)(const char *frame));
/* Returns true if the words about the wait of link k tell that all workers of a pool are busy. If the workers
 * are threads, the words about the next task tell it. */
bool sentence_tells_pool(const struct link *k);
/* Returns the length of the task's only wait, which a timer ended, or 0. */
uint64_t sentence_timed_ns(const struct sentence_facts *f, const struct link *k);

#endif
