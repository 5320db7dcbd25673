/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sentence.h - private to analysis/: says in words what a diagnosis found. */
#ifndef CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_H
#define CTRACE_ANALYSIS_DIAGNOSE_SENTENCE_H

#include "analysis/diagnose/diagnosis.h"
#include "analysis/diagnose/contention.h"

struct sentence_facts {
	const struct graph *g;
	const struct link *chain;
	size_t n_chain;
	enum verdict verdict;
	enum cause_kind cause;
	const struct blame *leaf;
	uint32_t pool;                /* workers, all busy; 0 no pool */
	const struct contention *cpu; /* starved: who had the CPU */
	bool strong;
	bool own_lock;     /* the last one waits for a lock that it holds itself */
	bool silent;       /* the last one goes on as ever, but for the wake-up that is missing */
	bool left_out;     /* what the last one waits for, to keep within the budget */
	const char *watch; /* command that watches what is polled; NULL: nothing known is, or who writes it is
			      known */
	uint64_t stall_ns;
};

/* What the root cause did: "redis-server[99] was computing". NULL: out of memory. */
char *sentence_root(const struct sentence_facts *f);
/* The whole sentence, from the victim to the root cause. NULL: out of memory. */
char *sentence_whole(const struct sentence_facts *f);

#endif
