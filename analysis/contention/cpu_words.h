/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_words.h - private to analysis/: says which tasks had a CPU while another task waited for it. Each list
 * is in brackets, and leaves out a part of a fifth of the wait or less (BRANCH_SHARE). Pure; any thread.
 */
#ifndef CTRACE_ANALYSIS_CONTENTION_CPU_WORDS_H
#define CTRACE_ANALYSIS_CONTENTION_CPU_WORDS_H

#include "analysis/contention/contention.h"
#include "trace/words/words.h"

/* Returns for how long, in ns, it is not known which task had the CPU. */
uint64_t cpu_words_unknown_ns(const struct contention *c);
/* Adds who had the CPU while c->task did not have it: " (other tasks had it for 1.0 s)". */
void cpu_words_rest(struct words *t, const struct contention *c);
/* Adds who had the CPU, c->task first: " (cc1[20] had it for 2.0 s, other tasks had it for 1.0 s)". at_ns:
 * the name of c->task is the one that it had then. */
void cpu_words_all(struct words *t, const struct graph *g, const struct contention *c, uint64_t at_ns);

#endif
